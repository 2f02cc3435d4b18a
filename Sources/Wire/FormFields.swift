/// The fields of a form or of a query, in order; a name may stand more than once.
public struct FormFields: Sendable, Equatable, Sequence {
    /// Name and value of every field, decoded, in order.
    public var pairs: [(name: String, value: String)]

    /// Makes fields from pairs in order.
    public init(_ pairs: [(name: String, value: String)] = []) {
        self.pairs = pairs
    }

    /// The first value of `name`, or nil. Names compare byte by byte.
    public subscript(name: String) -> String? {
        pairs.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// Every value of `name`, in order.
    public func values(_ name: String) -> [String] {
        pairs.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
    }

    /// Iterates over the pairs in order.
    public func makeIterator() -> IndexingIterator<[(name: String, value: String)]> {
        pairs.makeIterator()
    }

    /// Whether both hold the same pairs in the same order.
    public static func == (one: FormFields, other: FormFields) -> Bool {
        one.pairs.elementsEqual(other.pairs, by: ==)
    }
}
