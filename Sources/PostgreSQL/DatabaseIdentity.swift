import Synchronization

/// Recognizes the database that the program started with. Every new connection compares its database.
///
/// A promoted standby, a restored base backup and a database that a newer program has migrated are the same database.
final class DatabaseIdentity: Sendable {
    private let query = Mutex<String?>(nil)

    /// A query that returns one row with true in the same database. Nil before the tables exist.
    var check: String? { query.withLock { $0 } }

    /// Records the database that the program has opened.
    func record(applicationID: Int32, version: Int, databaseID: String) {
        query.withLock {
            $0 = """
                SELECT application_id = \(applicationID) AND version >= \(version) AND database_id = '\(databaseID)'
                FROM schema_version
                """
        }
    }
}
