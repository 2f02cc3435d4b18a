/// A JSON text as a value, for messages whose shape is not known beforehand.
///
/// An object keeps the order of its members when written; order is not significant to ``==(_:_:)`` on the wire, but is
/// here. Numbers are doubles, and whole ones within 2⁵³ are written without a fraction.
///
/// Source: RFC 8259.
public enum JSONValue: Sendable, Equatable {
    /// An object's members, in order; names are unique when it was parsed.
    case object([Member])
    /// An array's elements.
    case array([JSONValue])
    /// A string.
    case string(String)
    /// A number; never infinite nor not-a-number.
    case number(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null

    /// One member of an object.
    public struct Member: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The value.
        public var value: JSONValue

        /// Makes a member.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The value of member `name`, or nil when this is no object or has no such member.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The string, or nil when this is none.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The truth value, or nil when this is none.
    public var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The number, or nil when this is none.
    public var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The elements, or nil when this is no array.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, or nil when this is no object.
    public var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes a number.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object with its members in order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }
}
