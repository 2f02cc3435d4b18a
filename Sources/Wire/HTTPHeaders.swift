/// A message's header fields, in order; names compare without case.
///
/// A name may stand more than once, as in `Set-Cookie`. Neither names nor values are checked: a sender that takes them
/// from outside refuses CR, LF and NUL first, see ``isSafe(name:value:)``. Described or dumped, they show names alone: a
/// value may be a token.
///
/// Source: RFC 9110 §5.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral, Sequence, CustomStringConvertible,
    CustomReflectable
{
    /// One field: its name as written and its value without surrounding white space.
    public struct Field: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
        /// The name as written.
        public var name: String
        /// The value.
        public var value: String

        /// Makes a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// The name alone.
        public var description: String { name }

        /// A mirror of the name alone.
        public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
    }

    /// All fields in order.
    public private(set) var fields: [Field]

    /// Makes headers from fields in order.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Makes headers from name and value pairs in order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of `name`, or nil; setting replaces every field of that name, and nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.namesAreEqual($0.name, name) }?.value }
        set {
            fields.removeAll { Self.namesAreEqual($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Every value of `name`, in order.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.namesAreEqual($0.name, name) }.map(\.value)
    }

    /// Adds a field, keeping others of that name.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The names alone.
    public var description: String { "[" + fields.map(\.name).joined(separator: ", ") + "]" }

    /// A mirror of the names alone.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields.map(\.name)) }

    /// Iterates over the fields in order.
    public func makeIterator() -> IndexingIterator<[Field]> {
        fields.makeIterator()
    }

    /// Whether a field can be sent without breaking the message: the name is a token and the value has no control
    /// character but the tab.
    ///
    /// Source: RFC 9110 §5.1, §5.5 and §5.6.2.
    public static func isSafe(name: String, value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(isTokenByte)
            && value.utf8.allSatisfy { $0 == 9 || ($0 >= 32 && $0 != 127) }
    }

    /// Whether two field names are the same, ASCII letters compared without case.
    public static func namesAreEqual(_ one: String, _ other: String) -> Bool {
        // Spans, as a pair of iterators is several times slower, and every request comes here.
        let one = one.utf8.span
        let other = other.utf8.span
        guard one.count == other.count else { return false }
        for index in one.indices where lowercased(one[index]) != lowercased(other[index]) { return false }
        return true
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
