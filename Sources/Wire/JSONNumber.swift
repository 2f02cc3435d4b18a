/// A number of a JSON text, kept as it was written.
///
/// `12345678901234567890`, `0.10` and `1e400` survive reading and writing unchanged. Two numbers are equal when their
/// texts are: `1.0` and `1` differ.
///
/// Source: RFC 8259 §6.
public struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
    /// The number as JSON writes it.
    public let text: String

    /// Creates a number from a text that the parser has checked.
    init(checked text: String) {
        self.text = text
    }

    /// Creates a whole number.
    public init(_ value: some BinaryInteger) {
        text = String(value)
    }

    /// Creates a number; a whole one is written without a fraction. Traps for a number that is not finite.
    public init(_ value: Double) {
        precondition(value.isFinite, "JSON has no number for \(value).")
        text = Int64(exactly: value).map { String($0) } ?? String(value)
    }

    /// The number as the nearest double, or nil when that is infinite.
    public var double: Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The number as an integer, or nil when it has a fraction or is out of the type's range. A number with a fraction part or
    /// an exponent is read as a double first, so beyond 2⁵³ its last digits may be rounded.
    public func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        Value(text) ?? double.flatMap { Value(exactly: $0) }
    }

    /// The number as JSON writes it.
    public var description: String { text }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Makes a whole number.
    public init(integerLiteral value: Int) { self.init(value) }
    /// Makes a number.
    public init(floatLiteral value: Double) { self.init(value) }
}
