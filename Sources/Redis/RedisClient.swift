import Primitives

/// A client of one Redis server.
///
/// It has one connection, made with the first command, and one thread for it. Commands of several callers go over it
/// together. A connection that was lost is made again by itself: an idle one that the server closed before the next
/// command is sent, and one that failed after a pause of 50 ms to 2 s, during which commands are refused at once. A
/// command is sent once: one that got no answer is not repeated, because Redis may have done it.
///
/// Cancelling does not take a command back; it is answered, or given up after its time, all the same.
///
/// Source: Redis, `AUTH`, `SELECT`, `PING`; hiredis 0.14.
public final class RedisClient: Sendable {
    private let settings: RedisSettings
    private let worker: Worker

    /// Makes a client; nothing is connected yet.
    ///
    /// - Throws: ``RedisError/Code/system`` when no thread can be started.
    public init(_ settings: RedisSettings) throws(RedisError) {
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

    /// Has Redis do a command and waits for its reply, for no longer than `connectTimeout` and `commandTimeout` together.
    ///
    /// - Throws: ``RedisError``, any code but ``RedisError/Code/misconfigured``.
    public func run(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        let deadline = ContinuousClock.now + settings.commandTimeout
        let result = await withCheckedContinuation { answer in
            worker.post(Worker.Call(command: command, deadline: deadline, answer: answer))
        }
        return try result.get()
    }

    /// Refuses commands from now on, also those that wait, and ends the connection after those in hand.
    public func close() {
        worker.close()
    }
}
