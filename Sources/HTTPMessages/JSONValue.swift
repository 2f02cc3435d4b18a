/// A JSON text as a value, for messages whose shape is not known in advance.
///
/// An object keeps the order of its members. Two objects with the same members in a different order are not equal. A
/// number keeps its text.
///
/// Source: RFC 8259.
package enum JSONValue: Sendable, Equatable {
    /// An object with its members, in order. Names are unique when the value was parsed.
    case object([Member])
    /// An array with its elements.
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
    package struct Member: Sendable, Equatable {
        /// The name of the member.
        package var name: String
        /// The value of the member.
        package var value: JSONValue

        /// Creates a member.
        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Returns a number. A whole number is written without a fraction. Traps for a number that is not finite.
    package static func number(_ value: Double) -> JSONValue { .number(JSONNumber(value)) }

    /// The value of the member `name`. Nil when this is not an object or has no such member. Names are compared byte by
    /// byte.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// The string. Nil when this is not a string.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The Boolean value. Nil when this is not a Boolean.
    package var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The number as the nearest double. Nil when this is not a number or is too large for a double.
    package var number: Double? {
        if case .number(let number) = self { number.double } else { nil }
    }

    /// The number as an integer. Nil when this is not a number, has a fraction or does not fit in an `Int`.
    package var integer: Int? {
        if case .number(let number) = self { number.integer() } else { nil }
    }

    /// The elements. Nil when this is not an array.
    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members. Nil when this is not an object.
    package var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Creates a string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// Creates a Boolean.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a number.
    package init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// Creates an array.
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object with its members in order.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member($0.0, $0.1) })
    }
    /// Creates `null`.
    package init(nilLiteral: ()) { self = .null }
}
