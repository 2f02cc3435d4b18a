internal import CSQLite

extension SQLiteFailure {
    /// The failure for a moved file. This module detects it itself because SQLite does not check for it in WAL mode.
    static var moved: SQLiteFailure {
        SQLiteFailure(resultCode: LATCH_SQLITE_READONLY_DBMOVED, text: "the file was moved")
    }

    /// Returns the failure for a finding of `PRAGMA quick_check`.
    static func corrupt(_ finding: String) -> SQLiteFailure {
        SQLiteFailure(resultCode: SQLITE_CORRUPT, text: finding)
    }

    /// The failure for a file that could be opened only for reading.
    static var readOnly: SQLiteFailure {
        SQLiteFailure(resultCode: SQLITE_READONLY, text: "it can be opened only for reading")
    }
}

extension DatabaseError {
    /// The operation that a connection attempted when SQLite reported an error. The error message begins with it.
    enum Action: String {
        case open = "open"
        case prepare = "prepare a statement for"
        case read = "read"
        case write = "write to"
    }

    /// Returns the error for a result code of SQLite. Every such error is made here.
    ///
    /// - Parameters:
    ///   - failure: The extended result code and SQLite's message.
    ///   - operation: The attempted operation.
    ///   - subject: The file as messages name it, quoted.
    ///   - systemError: The system's error number behind `SQLITE_CANTOPEN` and `SQLITE_IOERR`. Nil when there is none.
    /// - Returns: The error with its code, message and cause.
    ///
    /// Source: SQLite, "Result and Error Codes".
    static func sqlite(
        _ failure: SQLiteFailure, operation: Action, subject: String, systemError: SystemError? = nil
    ) -> DatabaseError {
        // SQLite reports SQLITE_FULL only when it cannot write a page. A full disk can also fail the log's index with
        // another result code.
        let code = systemError?.isDiskFull ?? false ? .full : code(of: failure, operation: operation)
        let reason = systemError?.description ?? failure.text
        return DatabaseError(
            code, "Could not \(operation.rawValue) \(subject): \(explanation(of: code, reason: reason))", cause: failure
        )
    }

    private static func code(of failure: SQLiteFailure, operation: Action) -> Code {
        switch failure.resultCode & 0xFF {
        case SQLITE_CORRUPT: .corrupt
        case SQLITE_NOTADB: .notADatabase
        case SQLITE_READONLY: failure.resultCode == LATCH_SQLITE_READONLY_DBMOVED ? .moved : .readOnly
        case SQLITE_PERM: .readOnly
        case SQLITE_FULL: .full
        // SQLITE_PROTOCOL: other connections won the race for the locks of the log for several seconds.
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .locked
        case SQLITE_CANTOPEN: .cannotOpen
        case SQLITE_IOERR: failure.resultCode == LATCH_SQLITE_IOERR_CORRUPTFS ? .corrupt : .io
        case SQLITE_CONSTRAINT: .constraint(constraint(of: failure.resultCode))
        case SQLITE_INTERRUPT: .interrupted
        case SQLITE_MISUSE, SQLITE_RANGE, SQLITE_AUTH: .misuse
        case SQLITE_ERROR: operation == .prepare ? .misuse : .other
        default: .other
        }
    }

    private static func constraint(of resultCode: Int32) -> Constraint {
        switch resultCode {
        case LATCH_SQLITE_CONSTRAINT_UNIQUE, LATCH_SQLITE_CONSTRAINT_PRIMARYKEY, LATCH_SQLITE_CONSTRAINT_ROWID: .unique
        case LATCH_SQLITE_CONSTRAINT_FOREIGNKEY: .foreignKey
        case LATCH_SQLITE_CONSTRAINT_NOTNULL: .notNull
        case LATCH_SQLITE_CONSTRAINT_CHECK: .check
        default: .other
        }
    }

    private static func explanation(of code: Code, reason: String) -> String {
        switch code {
        case .corrupt:
            "the file is damaged (\(reason)); restore it from a backup, or move it away so that a new one is created."
        case .notADatabase:
            "it is not an SQLite database; choose another path, or move the file away."
        case .readOnly:
            "this user cannot write to the file or the folder with its log (\(reason)); change the owner or the mode."
        case .full:
            "the disk or the quota is full; free some space and try again. Nothing of this write was saved."
        case .locked:
            "another program has locked it (\(reason)); wait for that program or stop it, then try again."
        case .cannotOpen:
            "\(reason); check that its folder exists and that this user has access to it."
        case .moved:
            "the file was moved, replaced or deleted while it was open; put it back, or restart the program."
        case .io:
            "the disk failed (\(reason)); check the disk and the system log. Nothing of this write was saved."
        case .misuse:
            "\(reason); this is a bug in the program."
        default:
            "\(reason)."
        }
    }
}
