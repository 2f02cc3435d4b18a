package import FoundationEssentials

/// A value of a log line. It cannot be created from a `Secret`.
package enum LogValue: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// Text, which is escaped when it is written.
    case text(String)
    /// A number.
    case number(Int)
    /// A duration, written in milliseconds with three decimal places.
    case duration(Duration)

    /// Creates a text value.
    package init(stringLiteral value: String) {
        self = .text(value)
    }

    /// Creates a number.
    package init(integerLiteral value: Int) {
        self = .number(value)
    }

    /// Returns the description of an error that may be logged. This is the message if the type of the error guarantees
    /// that it contains no secret and nothing of a request; otherwise it is only the name of the type.
    package static func description(of error: any Error) -> LogValue {
        .text((error as? any LoggableError)?.message ?? "\(type(of: error))")
    }

    /// Creates a text value from a person's id.
    package static func id(_ id: UUID) -> LogValue {
        .text(id.uuidString.lowercased())
    }
}
