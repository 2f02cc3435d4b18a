/// What went wrong with a database, in one sentence that names the file and what to do.
///
/// An error that a body of ``Database/read(_:)`` or ``Database/write(_:)`` throws itself passes through unwrapped.
public struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for a program to decide on.
    public let code: Code
    /// The act, the object and the remedy, in one sentence; never a bound value.
    public let message: String
    /// What SQLite or the system said, where it said something.
    public let cause: (any Error)?

    /// Makes an error from its three parts.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}

/// What SQLite itself answered: the cause of a ``DatabaseError``.
///
/// Source: SQLite, "Result and Error Codes".
public struct SQLiteFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code, such as 2067 (`SQLITE_CONSTRAINT_UNIQUE`).
    public let resultCode: Int32
    /// SQLite's own words, which name tables and columns but no values.
    public let text: String

    /// The words and the code.
    public var description: String { "\(text) (SQLite result \(resultCode))" }
}
