/// A JSON text as a value, for messages whose shape is not known beforehand.
///
/// An object keeps the order of its members; two objects with the same members in another order are not equal. A number
/// keeps its text.
///
/// Source: RFC 8259.
public enum JSONValue: Sendable, Equatable {
    /// An object's members, in order; names are unique when it was parsed.
    case object([Member])
    /// An array's elements.
    case array([JSONValue])
    /// A string.
    case string(String)
    /// A number.
    case number(JSONNumber)
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

    /// A number; whole ones are written without a fraction. Traps for one that is not finite.
    public static func number(_ value: Double) -> JSONValue { .number(JSONNumber(value)) }

    /// The value of member `name`, or nil when this is no object or has no such member. Names compare byte by byte.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// The string, or nil when this is none.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The truth value, or nil when this is none.
    public var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The number as the nearest double, or nil when this is none or too large for a double.
    public var number: Double? {
        if case .number(let number) = self { number.double } else { nil }
    }

    /// The number, or nil when this is none, has a fraction or is too large for an `Int`.
    public var integer: Int? {
        if case .number(let number) = self { number.integer() } else { nil }
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
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object with its members in order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }
}
