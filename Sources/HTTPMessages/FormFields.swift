/// The fields of a form or a query, in order. A name may occur more than once.
package struct FormFields: Sendable, Equatable, Sequence {
    /// The decoded name and value of every field, in order.
    package var pairs: [(name: String, value: String)]

    /// Creates fields from pairs in order.
    package init(_ pairs: [(name: String, value: String)] = []) {
        self.pairs = pairs
    }

    /// The first value of `name`, or nil when there is none. Names are compared byte by byte.
    package subscript(name: String) -> String? {
        pairs.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// Whether a name occurs more than once. `exception` may.
    package func repeatsName(except exception: String) -> Bool {
        var names: Set<String> = []
        return pairs.contains { $0.name != exception && !names.insert($0.name).inserted }
    }

    /// Returns every value of `name`, in order.
    package func values(_ name: String) -> [String] {
        pairs.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
    }

    /// Returns an iterator over the pairs, in order.
    package func makeIterator() -> IndexingIterator<[(name: String, value: String)]> {
        pairs.makeIterator()
    }

    /// Returns whether both contain the same pairs in the same order.
    package static func == (one: FormFields, other: FormFields) -> Bool {
        one.pairs.elementsEqual(other.pairs, by: ==)
    }
}
