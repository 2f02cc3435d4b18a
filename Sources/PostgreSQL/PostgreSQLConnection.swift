import Database
import Primitives

/// A connection to a PostgreSQL server, as the driver's part of a `Connection`. It connects when it is first needed,
/// and again after the connection was lost.
///
/// The commands that begin and end transactions are queued and sent together with the next statement, so a read of one
/// statement needs one round trip. Writers of all gateways exclude each other by a lock that ends with their
/// transaction, so that every statement of a transaction sees the result of all earlier ones, as in SQLite.
///
/// Source: PostgreSQL, "Explicit Locking"; "Pipeline Mode".
final class PostgreSQLConnection: DriverConnection {
    /// What a connection is used for.
    enum Purpose: String {
        case writing = "latchd writer"
        case reading = "latchd reader"
        case listening = "latchd listener"
    }

    /// The lock that writers hold. It does not delay readers.
    private static let lock = "LOCK TABLE schema_version IN EXCLUSIVE MODE"
    /// How long a statement of a writer waits for another lock, in milliseconds. Only operators and other programs hold
    /// such locks, and meanwhile all writers wait.
    private static let rowLockTimeout = 500
    /// The same after a statement of the transaction failed because of a lock.
    private static let furtherRowLockTimeout = 10

    private enum Transaction {
        case none, reading, writing
        /// The state after the server ended the transaction, or the connection was lost, while it was in use.
        case lost
    }

    private let address: PostgreSQLAddress
    private let purpose: Purpose
    private let answerTimeout: Duration
    private let identity: DatabaseIdentity
    private let roundTrips: RoundTripCounter
    /// Whether statements and pauses of a transaction may take long, because it copies many rows.
    private let isBulk: Bool
    private var session: ServerSession?
    private var statements: [ObjectIdentifier: (text: SQLText, statement: PostgreSQLStatement)] = [:]
    private var statementCount = 0
    private var transaction = Transaction.none
    /// The error of a statement after which the server refuses the others of its part of the transaction.
    private var failedStatement: DatabaseError?
    /// The commands since the beginning of the transaction, until the server has answered one of its statements.
    private var unansweredCommands: [String]?
    /// Whether the last session ended because the server closed it, and not because it did not answer in time.
    private var wasClosedByServer = false
    /// The ``DatabaseIdentity/mismatchCount`` before the session compared its database.
    private var checkedMismatchCount = 0
    /// Whether changes by others may have been missed since the last report.
    private var mayHaveMissedChanges = true

    init(
        _ address: PostgreSQLAddress, _ purpose: Purpose, answerTimeout: Duration, isBulk: Bool,
        identity: DatabaseIdentity, roundTrips: RoundTripCounter
    ) {
        self.identity = identity
        self.isBulk = isBulk
        self.address = address
        self.purpose = purpose
        self.answerTimeout = answerTimeout
        self.roundTrips = roundTrips
    }

    var subject: String { address.description }
    var isOutsideTransaction: Bool { [.none, .lost].contains(transaction) }
    /// Not enforced: the SQL of this program does not control transactions, which its tests with SQLite prove.
    var allowsTransactionControl = true
    var nestedFailure: DatabaseError? { failedStatement }

    func statement(_ text: SQLText) throws(DatabaseError) -> any DriverStatement {
        if let known = statements[ObjectIdentifier(text)] { return known.statement }
        // The server keeps a statement as long as the connection. A limit protects it from SQL made at run time.
        if statements.count >= 512, transaction == .none {
            disconnect()
            statements = [:]
        }
        statementCount += 1
        let made = try PostgreSQLStatement(text, name: "s\(statementCount)", on: self)
        statements[ObjectIdentifier(text)] = (text, made)
        return made
    }

    /// Sends a statement with everything that is queued, and returns its result.
    ///
    /// When the server closed the connection before it answered the first statement of a transaction, nothing of it was
    /// kept, so it is repeated once on a new connection.
    func execute(_ statement: PostgreSQLStatement) throws(DatabaseError) -> ServerResult {
        let (kind, commands) = (transaction, unansweredCommands)
        do throws(DatabaseError) {
            return try send(statement)
        } catch {
            guard let commands, transaction == .lost, wasClosedByServer else { throw error }
            try connect()
            transaction = kind
            for command in commands { try queue(command) }
            return try send(statement)
        }
    }

    private func send(_ statement: PostgreSQLStatement) throws(DatabaseError) -> ServerResult {
        let result = try use { (session, deadline) throws(DatabaseError) in
            try session.queue(statement)
            return try session.receive(until: deadline).last
        }
        unansweredCommands = nil
        guard let result else { throw misuse("a statement has no result") }
        return result
    }

    /// Queues a statement, whose result ``receive()`` returns.
    func queue(_ statement: PostgreSQLStatement) throws(DatabaseError) {
        try use { (session, _) throws(DatabaseError) in try session.queue(statement) }
    }

    /// Sends what is queued, and returns the results of the statements.
    func receive() throws(DatabaseError) -> [ServerResult] {
        let results = try use { (session, deadline) throws(DatabaseError) in try session.receive(until: deadline) }
        unansweredCommands = nil
        return results
    }

    func execute(_ script: String) throws(DatabaseError) {
        try use { (session, _) throws(DatabaseError) in
            // Migrations may take long. The server ends them when this program ends.
            for statement in SQLScript.statements(script) { try session.queue(statement) }
            try session.receive(until: .now + .seconds(86_400))
        }
    }

    // MARK: - Transactions

    func beginWriting(outlivesPowerLoss: Bool) throws(DatabaseError) {
        try begin(.writing, "BEGIN")
        try queue(Self.lock)
        if !isBulk { try queue("SET LOCAL lock_timeout = \(Self.rowLockTimeout)") }
        if !outlivesPowerLoss { try queue("SET LOCAL synchronous_commit TO off") }
    }

    func beginReading() throws(DatabaseError) {
        try begin(.reading, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    func endReading() throws(DatabaseError) {
        guard transaction == .reading else { return transaction = .none }
        transaction = .none
        failedStatement = nil
        // Nobody waits for the result. The next use reads it.
        try use { (session, deadline) throws(DatabaseError) in
            unansweredCommands = nil
            try session.queue("COMMIT")
            try session.send(until: deadline)
        }
    }

    func commit() throws(DatabaseError) {
        guard transaction == .writing else { throw misuse("no transaction is open") }
        do throws(DatabaseError) {
            // A COMMIT that waits for a standby must not be cancelled: the server would complete it without the
            // standby, and others would see what a fail-over loses.
            let result = try use(isCancellable: false) { (session, deadline) throws(DatabaseError) in
                // NOTIFY takes a lock that one committing transaction of the server holds, of all its databases.
                // Source: PostgreSQL, `PreCommit_Notify` in `src/backend/commands/async.c`.
                if !isBulk { try session.queue("SET LOCAL lock_timeout = \(lockTimeout)") }
                try session.queue("COMMIT", isDiscarded: false)
                return try session.receive(until: deadline).last
            }
            // The server answers a COMMIT of a failed transaction without an error.
            guard result?.command == "COMMIT" else { throw misuse("a failed transaction was to be committed") }
            transaction = .none
        } catch {
            if transaction == .writing { rollback() }
            throw error
        }
    }

    func rollback() {
        defer { transaction = .none }
        failedStatement = nil
        guard transaction != .lost, transaction != .none, let session else { return }
        do throws(DatabaseError) {
            try session.queue("ROLLBACK")
            try session.receive(until: .now + answerTimeout)
        } catch {
            disconnect()
        }
    }

    func beginNested() throws(DatabaseError) { try queue("SAVEPOINT body") }

    func keepNested() throws(DatabaseError) { try queue("RELEASE body") }

    func undoNested() throws(DatabaseError) {
        let wasLocked = failedStatement?.code == .locked
        failedStatement = nil
        try queue("ROLLBACK TO body")
        try queue("RELEASE body")
        if wasLocked { try queue("SET LOCAL lock_timeout = \(Self.furtherRowLockTimeout)") }
    }

    private static let fetch = SQLText("FETCH 2000 FROM rows")
    private static let columns = SQLText(
        """
        SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position
        """, parameters: [.text])

    func columns(of table: String) throws(DatabaseError) -> [TableColumn] {
        let statement = try statement(Self.columns)
        defer { statement.reset() }
        try statement.bind(text: table, 1)
        var columns: [TableColumn] = []
        while try statement.step() {
            columns.append(TableColumn(statement.text(0) ?? "?", StorageClass(ofColumn: statement.text(1))))
        }
        return columns
    }

    func cursor(of query: String) throws(DatabaseError) -> SQLText? {
        try queue("DECLARE rows NO SCROLL CURSOR FOR \(query)")
        return Self.fetch
    }

    var hasSequences: Bool { true }

    func closeCursor() throws(DatabaseError) { try queue("CLOSE rows") }

    func maintainAfterCommit() {}
    func checkpoint() -> Bool { true }
    func danglingReference() -> String? { nil }

    // MARK: - Changes by others

    /// Asks the server for its time, and whether the database is still the same. The answer comes after the
    /// notifications of everything committed before.
    func externalChanges() throws(DatabaseError) -> ExternalChanges {
        try connectIfNeeded()
        let asked = SystemClock.microseconds
        let statement = try statement(identity.question)
        defer { statement.reset() }
        try checkIdentity { () throws(DatabaseError) in try statement.step() && statement.int64(1) == 1 }
        let answered = SystemClock.microseconds
        let difference = statement.int64(0) - (asked + (answered - asked) / 2)
        defer { mayHaveMissedChanges = false }
        return ExternalChanges(
            messages: session?.takeNotifications() ?? [], isComplete: !mayHaveMissedChanges,
            clockDifference: .microseconds(difference))
    }

    // MARK: - The session

    private func begin(_ kind: Transaction, _ command: String) throws(DatabaseError) {
        failedStatement = nil
        try connectIfNeeded()
        transaction = kind
        unansweredCommands = []
        try queue(command)
    }

    private func queue(_ command: String) throws(DatabaseError) {
        unansweredCommands?.append(command)
        try use { (session, _) throws(DatabaseError) in try session.queue(command) }
    }

    /// Connects if there is no usable session, or if another connection has found another database since this one
    /// compared its own.
    private func connectIfNeeded() throws(DatabaseError) {
        guard let session, !session.isLost, checkedMismatchCount == identity.mismatchCount else { return try connect() }
    }

    private func connect() throws(DatabaseError) {
        disconnect()
        let mismatchCount = identity.mismatchCount
        let session = try ServerSession(address, name: purpose.rawValue)
        try setUp(session)
        session.roundTrips = roundTrips
        self.session = session
        checkedMismatchCount = mismatchCount
    }

    /// Has the server end a command soon after its client is gone. Not every server has all of these parameters.
    private static let detectLostClient = """
        DO $$
        DECLARE parameter record;
        BEGIN
            FOR parameter IN SELECT * FROM (VALUES
                ('client_connection_check_interval', '1000'), ('tcp_keepalives_idle', '5'),
                ('tcp_keepalives_interval', '2'), ('tcp_keepalives_count', '3')) AS parameters(name, value)
            LOOP
                BEGIN
                    PERFORM set_config(parameter.name, parameter.value, false);
                EXCEPTION WHEN others THEN NULL;
                END;
            END LOOP;
        END $$
        """

    /// How long a statement waits for a lock, in milliseconds. Those of a writer between its first lock and its COMMIT wait
    /// for ``rowLockTimeout``.
    private var lockTimeout: Int { isBulk ? 30_000 : answerTimeout.wholeMilliseconds * 4 / 5 }

    /// Sets the parameters of a new session, and checks that it leads to the same database as the first one.
    private func setUp(_ session: ServerSession) throws(DatabaseError) {
        let timeout = answerTimeout.wholeMilliseconds
        try session.queue("SET lock_timeout = \(lockTimeout)")
        try session.queue("SET statement_timeout = \(isBulk ? 0 : timeout * 9 / 10)")
        try session.queue("SET idle_in_transaction_session_timeout = \(isBulk ? 60_000 : max(2_000, timeout * 2 / 5))")
        try session.queue(Self.detectLostClient)
        try session.queue("SET client_min_messages = warning")
        if purpose == .listening { try session.queue("LISTEN \(PostgreSQLDriver.channel)") }
        let check = identity.check
        if let check { try session.queue(check, isDiscarded: false) }
        try checkIdentity { () throws(DatabaseError) in
            let result = try session.receive(until: .now + answerTimeout).first
            return check == nil || result?.bytes(0, 0).first == 1
        }
    }

    /// Throws when `isSame` finds another database. All connections then compare theirs before their next transaction.
    private func checkIdentity(_ isSame: () throws(DatabaseError) -> Bool) throws(DatabaseError) {
        do throws(DatabaseError) {
            if try isSame() { return }
        } catch {
            // Another database may have no such table, or not these columns.
            guard identity.check != nil, error.code == .misuse else { throw error }
        }
        identity.recordMismatch()
        throw replacedDatabaseError
    }

    private var replacedDatabaseError: DatabaseError {
        DatabaseError(
            .moved,
            "Could not use \(subject): the database behind this address is not the one that this gateway started with; "
                + "restart the gateway if that is intended.")
    }

    private func disconnect() {
        session = nil
        for (_, statement) in statements.values { statement.isPrepared = false }
        mayHaveMissedChanges = true
    }

    /// Uses the session. After an error that leaves it in an unknown state, the connection is closed, which also ends
    /// its transaction at the server. If the server did not answer in time and `isCancellable`, it is asked to cancel
    /// the command.
    private func use<Value>(
        isCancellable: Bool = true,
        _ body: (ServerSession, ContinuousClock.Instant) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        if session == nil, transaction == .none { try connect() }
        guard let session else {
            throw DatabaseError(.unavailable, "Could not use \(subject): the connection was lost; try again.")
        }
        do throws(DatabaseError) {
            return try body(session, .now + answerTimeout)
        } catch {
            if session.isLost || [.unavailable, .readOnly].contains(error.code) {
                wasClosedByServer = !session.hasTimedOut
                if session.hasTimedOut, isCancellable { session.cancel() }
                disconnect()
                if transaction != .none { transaction = .lost }
            } else if session.hasFailedControl, transaction == .writing {
                // Without the lock or a savepoint, no statement can follow.
                rollback()
                transaction = .lost
            } else {
                failedStatement = failedStatement ?? error
            }
            throw error
        }
    }

    private func misuse(_ reason: String) -> DatabaseError {
        DatabaseError(.misuse, "Could not use \(subject): \(reason); this is a bug in the program.")
    }
}
