import Primitives

/// A client of one Redis server.
///
/// The client has one connection, opened for the first command, and one thread for it. Commands of concurrent callers
/// are sent together. The client reconnects automatically. If the server closed an idle connection, the client
/// reconnects before it sends the next command. After a connection failed, the client waits 50 ms to 2 s, and commands
/// fail at once during that time. Each command is sent once. A command without a reply is not repeated, because Redis
/// may have run it.
///
/// Cancelling the task does not withdraw a command. The call still returns with the reply or after the timeout.
///
/// Source: Redis, `AUTH`, `SELECT`, `PING`; hiredis 0.14.
package final class RedisClient: Sendable {
    private let settings: RedisSettings
    private let worker: Worker

    /// Creates a client without connecting.
    ///
    /// - Throws: ``RedisError/Code/system`` when no thread can be started.
    package init(_ settings: RedisSettings) throws(RedisError) {
        self.settings = settings
        let worker = Worker(settings)
        self.worker = worker
        do throws(SystemThread.Failure) {
            try SystemThread.detach { worker.run() }
        } catch {
            throw RedisError(.system, "Could not start a thread for Redis: \(error).")
        }
    }

    deinit {
        worker.close()
    }

    /// Runs a command and waits for its reply, at most for the sum of `connectTimeout` and `commandTimeout`.
    ///
    /// - Throws: ``RedisError`` with any code except ``RedisError/Code/misconfigured``.
    package func run(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        let deadline = ContinuousClock.now + settings.commandTimeout
        let result = await withCheckedContinuation { continuation in
            worker.post(Worker.Call(command: command, deadline: deadline, continuation: continuation))
        }
        return try result.get()
    }

    /// Closes the client. New and queued commands fail, and the connection closes after the commands in progress.
    package func close() {
        worker.close()
    }
}
