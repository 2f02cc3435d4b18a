import Database
import Synchronization

/// Recognizes the database that the program started with. Every new connection compares its database, and the one that
/// listens does so with each question for changes, because tables can be replaced while connections stay open.
///
/// A promoted standby, a restored base backup and a database that a newer program has migrated are the same database.
final class DatabaseIdentity: Sendable {
    private struct State {
        var check: String?
        var question = SQLText("SELECT \(DatabaseIdentity.clock), true")
        var mismatchCount = 0
    }

    private static let clock = "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)"

    private let state = Mutex(State())

    /// A query that returns one row with true in the same database. Nil before the tables exist.
    var check: String? { state.withLock { $0.check } }
    /// A query that returns the time of the server in microseconds since 1970, and the result of ``check``.
    var question: SQLText { state.withLock { $0.question } }
    /// How often a connection has found another database. When it has changed, each connection compares its database
    /// again before its next transaction.
    var mismatchCount: Int { state.withLock { $0.mismatchCount } }

    /// Records the database that the program has opened.
    func record(applicationID: Int32, version: Int, databaseID: String) {
        let check = """
            SELECT coalesce(bool_and(
                application_id = \(applicationID) AND version >= \(version) AND database_id = '\(databaseID)'), false)
            FROM schema_version
            """
        let question = SQLText("SELECT \(Self.clock), (\(check))")
        state.withLock {
            $0.check = check
            $0.question = question
        }
    }

    /// Records that a connection has found another database.
    func recordMismatch() { state.withLock { $0.mismatchCount += 1 } }
}
