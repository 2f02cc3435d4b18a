/// An error of a database, with one sentence that names the file and what to do.
///
/// An error that a body of ``Database/read(_:)`` or ``Database/write(_:)`` throws itself is not wrapped in this type.
package struct DatabaseError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs to handle.
    package let code: Code
    /// The operation, the file and the remedy, in one sentence. Never contains a bound value.
    package let message: String
    /// The error that SQLite or the system reported. Nil when there was none.
    package let cause: (any Error)?

    /// Creates an error from a code, a message and a cause.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The ``message``.
    package var description: String { message }

    /// The database rolled the whole transaction back, and reported no reason.
    static func rolledBack(_ subject: String) -> DatabaseError {
        DatabaseError(.other, "Could not write to \(subject): its transaction was rolled back; try again.")
    }
}

/// A failure that SQLite reported: the cause of a ``DatabaseError``.
///
/// Source: SQLite, "Result and Error Codes".
package struct SQLiteFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code, such as 2067 (`SQLITE_CONSTRAINT_UNIQUE`).
    package let resultCode: Int32
    /// SQLite's own message, which names tables and columns but no values.
    package let text: String

    /// The text and the result code.
    package var description: String { "\(text) (SQLite result \(resultCode))" }
}
