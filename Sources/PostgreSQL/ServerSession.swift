import CLibrary
internal import CPostgreSQL
import Database
import Primitives

/// One connection of libpq, in pipeline mode: commands are queued, sent together, and their results are read in order.
///
/// Only one thread uses it.
///
/// Source: PostgreSQL, "Pipeline Mode"; "Asynchronous Command Processing".
final class ServerSession {
    /// A command whose result was not read yet.
    private enum Command {
        /// A command whose result is discarded.
        case control
        /// The preparation of a statement.
        case preparation(PostgreSQLStatement)
        /// A statement whose result is returned.
        case statement
        /// The end of the commands that are sent together. After an error, the server ignores the commands up to it.
        case end
    }

    private let pointer: OpaquePointer
    let subject: String
    /// The commands that were queued, in their order.
    private var commands: [Command] = []
    /// The number of commands since the last ``Command/end``.
    private var openCount = 0
    /// Whether the command that failed last was not a statement, but one that begins, ends or sets up its transaction.
    private(set) var hasFailedControl = false
    /// Counts how often the session waits for the server. Nil while it is set up: connecting is not counted.
    var roundTrips: RoundTripCounter?

    /// Connects to the first server of the address that accepts writes.
    init(_ address: PostgreSQLAddress, name: String) throws(DatabaseError) {
        subject = address.description
        guard let pointer = Self.connect(address, name: name) else {
            throw DatabaseError(
                .unavailable, "Could not connect to \(subject): there is not enough memory; free some memory.")
        }
        self.pointer = pointer
        guard PQstatus(pointer) == CONNECTION_OK else {
            throw .postgreSQL(connectionFailure, act: "connect to", subject: subject, isConnecting: true)
        }
        guard PQenterPipelineMode(pointer) == 1, PQsetnonblocking(pointer, 1) == 0 else { throw lost("connect to") }
    }

    deinit {
        PQfinish(pointer)
    }

    private static func connect(_ address: PostgreSQLAddress, name: String) -> OpaquePointer? {
        // The address overrides what is before it, and not what is after it.
        let options = [
            ("sslmode", "verify-full"), ("sslrootcert", "/etc/ssl/certs/ca-certificates.crt"),
            ("connect_timeout", "2"), ("tcp_user_timeout", "5000"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"), ("target_session_attrs", "read-write"),
            ("application_name", name), ("dbname", address.uri), ("client_encoding", "UTF8"),
        ]
        var keywords = options.map { UnsafePointer(strdup($0.0)) }
        var values = options.map { UnsafePointer(strdup($0.1)) }
        defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
        keywords.append(nil)
        values.append(nil)
        guard let pointer = PQconnectStartParams(keywords, values, 1) else { return nil }
        // libpq has no function for the SQLSTATE of a refused connection. In this verbosity its messages have it, in
        // every language of the server. It applies from the next attempt on, and PQreset makes that with the time limit
        // of each host. The first attempt has only begun and is dropped.
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
        if PQstatus(pointer) != CONNECTION_BAD { PQreset(pointer) }
        return pointer
    }

    /// Whether the server did not answer in time.
    private(set) var hasTimedOut = false

    /// Whether the connection was lost, as far as the system knows. Reads what the server has sent meanwhile.
    var isLost: Bool {
        if Self.isReady(PQsocket(pointer), forWriting: false, until: .now) { PQconsumeInput(pointer) }
        return PQstatus(pointer) != CONNECTION_OK
    }

    /// Asks the server to cancel the command that runs, and does not wait for that.
    func cancel() {
        guard let pointer = PQgetCancel(pointer) else { return }
        let request = CancelRequest(pointer: pointer)
        // PQcancel waits for the server without a limit. Without a thread, the server notices the closed connection.
        try? SystemThread.detach { request.send() }
    }

    // MARK: - Queueing

    /// Queues a command without values. Unless `isDiscarded`, ``receive(until:)`` returns its result.
    func queue(_ sql: String, isDiscarded: Bool = true) throws(DatabaseError) {
        guard PQsendQueryParams(pointer, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost("write to") }
        append(isDiscarded ? .control : .statement)
    }

    /// Queues a statement, and its preparation when it is new. ``receive(until:)`` returns its result.
    func queue(_ statement: PostgreSQLStatement) throws(DatabaseError) {
        if !statement.isPrepared {
            let isSent = PQsendPrepare(
                pointer, statement.name, statement.translated, Int32(statement.types.count), statement.types)
            guard isSent == 1 else { throw lost("read") }
            append(.preparation(statement))
            // The next execution may be queued before the server has answered.
            statement.isPrepared = true
        }
        guard send(statement) else { throw lost("read") }
        append(.statement)
    }

    private func send(_ statement: PostgreSQLStatement) -> Bool {
        let values = statement.values
        // All values in one buffer, because libpq takes pointers. An empty value needs a pointer too.
        var bytes: [UInt8] = []
        for case let value? in values { bytes += value }
        bytes.append(0)
        return bytes.withUnsafeBytes { buffer in
            var place = 0
            let pointers = values.map { value -> UnsafePointer<CChar>? in
                guard let value else { return nil }
                defer { place += value.count }
                return buffer.baseAddress.map { ($0 + place).assumingMemoryBound(to: CChar.self) }
            }
            let lengths = values.map { Int32($0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: values.count)
            return PQsendQueryPrepared(pointer, statement.name, Int32(values.count), pointers, lengths, formats, 1) == 1
        }
    }

    private func append(_ command: Command) {
        commands.append(command)
        openCount += 1
    }

    /// Ends the commands that are sent together, and sends them. Does not wait for their results.
    func send(until deadline: ContinuousClock.Instant) throws(DatabaseError) {
        guard openCount > 0 else { return }
        guard PQpipelineSync(pointer) == 1 else { throw lost("write to") }
        commands.append(.end)
        openCount = 0
        try flush(until: deadline)
    }

    /// Sends what is queued and reads all results.
    ///
    /// - Returns: The results that are not discarded, in the order of their commands.
    /// - Throws: The error of the first command that failed.
    @discardableResult
    func receive(until deadline: ContinuousClock.Instant) throws(DatabaseError) -> [ServerResult] {
        try send(until: deadline)
        guard !commands.isEmpty else { return [] }
        roundTrips?.count()
        var results: [ServerResult] = []
        var failure: DatabaseError?
        for command in commands {
            let result = try nextResult(until: deadline)
            switch command {
            case .end: continue
            case .preparation(let statement): statement.isPrepared = result.isSuccess
            case .control: break
            case .statement: results.append(result)
            }
            if !result.isSuccess, PQresultStatus(result.pointer) != PGRES_PIPELINE_ABORTED, failure == nil {
                failure = self.failure("use", PostgreSQLFailure(result.pointer))
                hasFailedControl = if case .control = command { true } else { false }
            }
            // The null result that ends the results of each command.
            if PQgetResult(pointer) != nil { throw lost("read") }
        }
        commands = []
        if let failure { throw failure }
        return results
    }

    /// Returns the messages of notifications that have arrived.
    func takeNotifications() -> [String] {
        var messages: [String] = []
        while let notification = PQnotifies(pointer) {
            messages.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return messages
    }

    // MARK: - Waiting

    private func nextResult(until deadline: ContinuousClock.Instant) throws(DatabaseError) -> ServerResult {
        while PQisBusy(pointer) == 1 {
            try wait(forWriting: false, until: deadline)
            guard PQconsumeInput(pointer) == 1 else { throw lost("read") }
        }
        guard let result = PQgetResult(pointer) else { throw lost("read") }
        return ServerResult(result)
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(DatabaseError) {
        while true {
            switch PQflush(pointer) {
            case 0: return
            case 1:
                try wait(forWriting: true, until: deadline)
                // The server may wait until its results are read.
                guard PQconsumeInput(pointer) == 1 else { throw lost("write to") }
            default: throw lost("write to")
            }
        }
    }

    private func wait(forWriting: Bool, until deadline: ContinuousClock.Instant) throws(DatabaseError) {
        guard Self.isReady(PQsocket(pointer), forWriting: forWriting, until: deadline) else {
            hasTimedOut = true
            throw failure("use", PostgreSQLFailure(text: "it did not answer in time"))
        }
    }

    /// Waits until a socket can be read, or also until it can be written. Returns false at the deadline.
    private static func isReady(_ socket: Int32, forWriting: Bool, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            let milliseconds = max(0, rest.wholeMilliseconds)
            var waiting = pollfd(fd: socket, events: Int16(POLLIN | (forWriting ? POLLOUT : 0)), revents: 0)
            let count = poll(&waiting, 1, Int32(clamping: milliseconds + (rest > .zero ? 1 : 0)))
            if count > 0 { return true }
            if count < 0, errno == EINTR { continue }
            if count == 0, ContinuousClock.now < deadline { continue }
            return count != 0
        }
    }

    // MARK: - Errors

    private var lastFailure: PostgreSQLFailure { PostgreSQLFailure(message: String(cString: PQerrorMessage(pointer))) }

    private var connectionFailure: PostgreSQLFailure {
        let failure = lastFailure
        // libpq itself reports that it has no password.
        guard failure.state.isEmpty, PQconnectionNeedsPassword(pointer) == 1 else { return failure }
        return PostgreSQLFailure(state: "28P01", text: failure.text)
    }

    private func lost(_ act: String) -> DatabaseError { failure(act, lastFailure) }

    private func failure(_ act: String, _ failure: PostgreSQLFailure) -> DatabaseError {
        .postgreSQL(failure, act: act, subject: subject)
    }
}

/// A request to cancel the command of a session. It stays valid after the session is closed.
///
/// Source: PostgreSQL, "Canceling Queries in Progress": `PQcancel` may be called from any thread.
private final class CancelRequest: @unchecked Sendable {
    // Never changed after PQgetCancel returned it, and freed after its only use.
    private let pointer: OpaquePointer

    init(pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQfreeCancel(pointer)
    }

    func send() {
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(pointer, &message, Int32(message.count))
    }
}
