import FoundationEssentials

/// A value beside a log message. There is no way to make one of a `Secret`.
public enum LogValue: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// Text, escaped when it is written.
    case text(String)
    /// A number.
    case number(Int)
    /// A time, written in milliseconds with three digits after the point.
    case duration(Duration)

    /// Makes text.
    public init(stringLiteral value: String) {
        self = .text(value)
    }

    /// Makes a number.
    public init(integerLiteral value: Int) {
        self = .number(value)
    }

    /// Makes the text of a person's id.
    static func id(_ id: UUID) -> LogValue {
        .text(id.uuidString.lowercased())
    }
}
