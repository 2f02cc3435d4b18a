package import Database

/// Opens connections to a PostgreSQL database.
package struct PostgreSQLDriver: DatabaseDriver {
    /// The address of the database.
    package let address: PostgreSQLAddress
    /// The number of connections that read, besides one that writes and one that listens. At least 1.
    package let readerCount: Int
    /// The number of connections for long reads. When it is 0, long reads use the other reading connections.
    package let longReaderCount: Int
    /// How long to wait for the answer to a statement. 5 seconds by default.
    package let answerTimeout: Duration
    private let roundTrips = RoundTripCounter()
    private let identity = DatabaseIdentity()
    private let applicationID: Int32
    private let isBulk: Bool

    /// Creates a driver.
    ///
    /// - Parameters:
    ///   - address: The address of the database.
    ///   - applicationID: The number that identifies the program that owns the tables.
    ///   - readerCount: The number of connections that read, at least 1.
    ///   - longReaderCount: The number of connections for long reads. Each connects when it is first used.
    ///   - answerTimeout: How long to wait for the answer to a statement. The server cancels a statement a little
    ///     earlier.
    ///   - isBulk: Whether statements may take any time and a transaction may pause for 60 seconds, because it copies
    ///     many rows. Otherwise it may pause for two fifths of `answerTimeout`, at least 2 seconds.
    package init(
        _ address: PostgreSQLAddress, applicationID: Int32, readerCount: Int = 4, longReaderCount: Int = 0,
        answerTimeout: Duration = .seconds(5), isBulk: Bool = false
    ) {
        precondition(readerCount >= 1, "a database needs at least one reader")
        self.address = address
        self.applicationID = applicationID
        self.readerCount = readerCount
        self.longReaderCount = longReaderCount
        self.answerTimeout = answerTimeout
        self.isBulk = isBulk
    }

    /// The database as messages name it.
    package var subject: String { address.description }
    /// Changes are reported by a connection that listens for notifications.
    package var listens: Bool { true }
    /// The same as ``answerTimeout``.
    package var maximumWait: Duration? { answerTimeout }
    /// The number of round trips of all connections.
    package var roundTripCount: Int { roundTrips.value }

    /// The name of the channel on which triggers tell all programs on the database about changes.
    package static let channel = "latchstring"

    /// Connects, and migrates the schema. Later connections must lead to the same database.
    ///
    /// - Parameter migrations: All migrations, in ascending order of their versions.
    /// - Returns: The connection that writes.
    /// - Throws: `DatabaseError` with any code that describes a server. The tables then keep their version.
    package func openForWriting(_ migrations: [Migration]) throws(DatabaseError) -> Connection {
        let connection = make(.writing)
        let id = try PostgreSQLMigrator(migrations: migrations, applicationID: applicationID).migrate(connection)
        identity.record(applicationID: applicationID, version: migrations.newestVersion, databaseID: id)
        return connection
    }

    /// Connects, and returns the version of the schema. 0 for a database without tables. Changes nothing.
    ///
    /// - Throws: `DatabaseError` when the database does not answer, belongs to another program, or is empty and has an
    ///   encoding other than UTF-8.
    package func schemaVersion() throws(DatabaseError) -> Int {
        try PostgreSQLMigrator(migrations: [], applicationID: applicationID).version(of: make(.reading))
    }

    /// Returns a connection that connects when it is first used.
    package func openForReading() -> Connection { make(.reading) }

    /// Returns a connection that connects when it is first used.
    package func openForListening() -> Connection { make(.listening) }

    private func make(_ purpose: PostgreSQLConnection.Purpose) -> Connection {
        Connection(
            PostgreSQLConnection(
                address, purpose, answerTimeout: answerTimeout, isBulk: isBulk, identity: identity,
                roundTrips: roundTrips))
    }
}
