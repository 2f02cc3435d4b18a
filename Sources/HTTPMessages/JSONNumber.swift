/// A number in a JSON text, with its original spelling.
///
/// `12345678901234567890`, `0.10` and `1e400` are read and written unchanged. Two numbers are equal when their texts
/// are equal: `1.0` and `1` differ.
///
/// Source: RFC 8259 §6.
package struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
    /// The text of the number in JSON.
    package let text: String

    /// Creates a number from a text that the parser has already checked.
    init(checked text: String) {
        self.text = text
    }

    /// Creates a whole number.
    package init(_ value: some BinaryInteger) {
        text = String(value)
    }

    /// Creates a number. A whole number is written without a fraction. Traps for a number that is not finite.
    package init(_ value: Double) {
        precondition(value.isFinite, "JSON has no number for \(value).")
        text = Int64(exactly: value).map { String($0) } ?? String(value)
    }

    /// The number as the nearest double. Nil when that is infinite.
    package var double: Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the number as an integer, or nil when it has a fraction or does not fit in the type. The value is exact:
    /// `1.0` and `10e-1` are 1, and nothing is rounded.
    package func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        Value(text) ?? digits.flatMap { Value($0) }
    }

    /// Whether the number has no fraction.
    var isWhole: Bool { digits != nil }

    /// The number without fraction and exponent. Nil when it has a fraction, or more digits than ``mostDigits``.
    private var digits: String? {
        let parts = text.split { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].drop { $0 == "-" }
        let whole = mantissa.prefix { $0 != "." }
        var digits = Substring(whole + mantissa.dropFirst(whole.count + 1))
        while digits.last == "0" { digits.removeLast() }
        let zeros = digits.prefix { $0 == "0" }.count
        guard zeros < digits.count else { return "0" }
        let limits = -Self.mostDigits...Self.mostDigits
        guard let exponent = parts.count > 1 ? Int(parts[1]) : 0, limits.contains(exponent),
            case let missing = whole.count + exponent - digits.count, missing >= 0,
            digits.count - zeros + missing <= Self.mostDigits
        else { return nil }
        return (text.hasPrefix("-") ? "-" : "") + digits + String(repeating: "0", count: missing)
    }

    /// The maximum number of digits: the same as the parser's limit.
    private static let mostDigits = 512

    /// The text of the number in JSON.
    package var description: String { text }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a whole number.
    package init(integerLiteral value: Int) { self.init(value) }
    /// Creates a number.
    package init(floatLiteral value: Double) { self.init(value) }
}
