import Database
import FoundationEssentials
import OpenIDConnect
import Redis

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

    /// What may be told of an error: its message where its kind is known to hold no secret and nothing of a request,
    /// else only its kind.
    static func words(of error: any Error) -> LogValue {
        switch error {
        case let error as GatewayError: .text(error.message)
        case let error as DatabaseError: .text(error.message)
        case let error as RedisError: .text(error.message)
        case let error as OpenIDConnectError: .text(error.message)
        default: .text("\(type(of: error))")
        }
    }

    /// Makes the text of a person's id.
    static func id(_ id: UUID) -> LogValue {
        .text(id.uuidString.lowercased())
    }
}
