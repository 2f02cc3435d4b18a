/// The header fields of a message, in order. Names are compared without regard to case.
///
/// A name may occur more than once, as `Set-Cookie` does. Neither names nor values are checked: before sending fields
/// from outside, refuse CR, LF and NUL. Descriptions and dumps show only the names, because a value may be a token.
///
/// Source: RFC 9110 §5.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral, Sequence, CustomStringConvertible,
    CustomReflectable
{
    /// One header field: its name as written, and its value without surrounding white space.
    public struct Field: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
        /// The name as written.
        public var name: String
        /// The value of the field.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// The name, without the value.
        public var description: String { name }

        /// A mirror with the name, without the value.
        public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
    }

    /// All header fields, in order.
    public private(set) var fields: [Field]

    /// Creates headers from fields in order.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates headers from name and value pairs in order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of `name`, or nil when there is none. Setting a value replaces all fields with that name.
    /// Setting nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.namesAreEqual($0.name, name) }?.value }
        set {
            fields.removeAll { Self.namesAreEqual($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Returns every value of `name`, in order.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.namesAreEqual($0.name, name) }.map(\.value)
    }

    /// Appends a field and keeps other fields with that name.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The names, without the values.
    public var description: String { "[" + fields.map(\.name).joined(separator: ", ") + "]" }

    /// A mirror with the names, without the values.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields.map(\.name)) }

    /// Returns an iterator over the fields, in order.
    public func makeIterator() -> IndexingIterator<[Field]> {
        fields.makeIterator()
    }

    /// Returns whether a field can be sent without breaking the message. The name must be a token, and the value must
    /// not contain control characters except tabs.
    ///
    /// Source: RFC 9110 §5.1, §5.5 and §5.6.2.
    package static func isSafe(name: String, value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(isTokenByte)
            && value.utf8.allSatisfy { $0 == 9 || ($0 >= 32 && $0 != 127) }
    }

    /// Returns whether two field names are equal, ignoring the case of ASCII letters.
    package static func namesAreEqual(_ one: String, _ other: String) -> Bool {
        // Spans, because a pair of iterators is several times slower, and every request calls this function.
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
