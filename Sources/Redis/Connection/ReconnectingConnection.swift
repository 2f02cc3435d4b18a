internal import Crypto

/// Connects to Redis when a command needs it, and reconnects after the connection was lost.
///
/// After a failure it waits before the next attempt, 50 ms at first and at most 2 s. Commands during this time fail at
/// once. Only one thread may use it.
struct ReconnectingConnection {
    private static let pauses = (first: Duration.milliseconds(50), longest: Duration.seconds(2))

    private let settings: RedisSettings
    private var connection: Connection?
    private var pause = ReconnectingConnection.pauses.first
    private var failed: (error: RedisError, until: ContinuousClock.Instant)?

    init(_ settings: RedisSettings) {
        self.settings = settings
    }

    /// Sends commands in one batch; see ``Connection/exchange(_:before:answered:)``.
    mutating func exchange(
        _ commands: [RedisCommand], before deadline: ContinuousClock.Instant,
        answered: (Int, Result<RedisReply, RedisError>) -> Void
    ) throws(RedisError) {
        let connection = try connected()
        do throws(RedisError) {
            try connection.exchange(commands, before: deadline, answered: answered)
        } catch {
            self.connection = nil
            if error.code == .timedOut { record(error) }
            throw error
        }
    }

    private mutating func connected() throws(RedisError) -> Connection {
        // A server that restarted has closed the connection. The check detects that before a command is sent.
        if let connection, connection.isQuiet { return connection }
        connection = nil
        if let failed, ContinuousClock.now < failed.until {
            throw RedisError(.unreachable, failed.error.message, reason: failed.error.reason)
        }
        do throws(RedisError) {
            let fresh = try open()
            connection = fresh
            failed = nil
            pause = Self.pauses.first
            return fresh
        } catch {
            record(error)
            throw error
        }
    }

    private mutating func record(_ error: RedisError) {
        // A random part of the delay keeps many gateways on one Redis from reconnecting at the same moment.
        failed = (error, .now + pause * Double.random(in: 0.75...1))
        pause = min(pause * 2, Self.pauses.longest)
    }

    /// Connects and authenticates. The final PING proves that the server responds, because the system accepts
    /// connections on behalf of a server that hangs.
    private func open() throws(RedisError) -> Connection {
        let deadline = ContinuousClock.now + settings.connectTimeout
        let connection = try Connection(to: settings.address, before: deadline)
        var steps: [RedisCommand] = []
        if let password = settings.password {
            let user = settings.user.map { [Array($0.utf8)] } ?? []
            steps.append(RedisCommand("AUTH", user + [password.withBytes { $0 }]))
        }
        if settings.database != 0 { steps.append(RedisCommand("SELECT", "\(settings.database)")) }
        steps.append(RedisCommand("PING"))
        var refusal: RedisError?
        var last = RedisReply.nothing
        do throws(RedisError) {
            try connection.exchange(steps, before: deadline) { _, result in
                switch result {
                case .success(let reply): last = reply
                case .failure(let error): refusal = refusal ?? error
                }
            }
        } catch {
            throw unreachable(error.code == .timedOut ? "it does not respond" : "it does not respond like Redis")
        }
        if let refusal { throw unreachable(Self.remedy(refusal.reason ?? "ERR", settings), refusal.reason) }
        guard last == .status("PONG"), connection.isQuiet else { throw unreachable("it does not respond like Redis") }
        return connection
    }

    private func unreachable(_ reason: String, _ word: String? = nil) -> RedisError {
        RedisError(.unreachable, "Could not use Redis at '\(settings.address)': \(reason).", reason: word)
    }

    private static func remedy(_ reason: String, _ settings: RedisSettings) -> String {
        switch reason {
        case "NOAUTH": "it requires a password (NOAUTH)"
        case "WRONGPASS": "it rejected the user or the password (WRONGPASS)"
        case "LOADING": "it is still loading its data (LOADING)"
        case "ERR" where settings.password != nil || settings.database != 0:
            "it rejected the password or the database \(settings.database) (ERR)"
        default: "it rejected the connection (\(reason))"
        }
    }
}
