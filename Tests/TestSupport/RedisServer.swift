import Glibc
import Synchronization

/// A real Redis server with nothing in it, on a Unix socket in a folder of its own and, when asked for, on a port.
///
/// It keeps nothing on disk and ends with the value.
public final class RedisServer: Sendable {
    private let folder: TemporaryDirectory
    private let program = Mutex<RunningProgram?>(nil)
    private let configuration: String
    private let held: HeldPort?

    /// The port at 127.0.0.1; nil when there is only the socket.
    public var port: Int? { held?.number }

    /// The path of the Unix socket.
    public var socketPath: String { folder.file("redis.sock") }
    /// The URL over the Unix socket.
    public var url: String { "unix:\(socketPath)" }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - hasPort: Whether it listens on a port too.
    ///   - lines: Further lines of `redis.conf`, such as passwords.
    /// - Throws: When the server does not start.
    public init(hasPort: Bool = false, _ lines: String...) async throws {
        folder = try TemporaryDirectory()
        held = hasPort ? try HeldPort() : nil
        configuration = try folder.write(
            ([
                "port \(held?.number ?? 0)", "bind 127.0.0.1", "unixsocket \(folder.file("redis.sock"))", "save \"\"",
                "appendonly no", "dir \(folder.path)", "daemonize no", "logfile \"\"",
            ] + lines).joined(separator: "\n") + "\n", to: "redis.conf")
        try await start()
    }

    /// Starts the server again, with nothing in it, at the same addresses.
    public func start() async throws {
        let server = try RunningProgram(
            "redis-server", [configuration], environment: ["PATH": "/usr/bin:/bin"])
        try await server.line(containing: "eady to accept connections")
        program.withLock { $0 = server }
    }

    /// Ends the server as a crash does and waits until it is gone.
    public func stop() async {
        let server = program.withLock { program in
            defer { program = nil }
            return program
        }
        server?.send(SIGKILL)
        await server?.waitForExit()
    }

    /// Sends the server a signal, such as `SIGSTOP`.
    public func send(_ signal: Int32) {
        program.withLock { $0 }?.send(signal)
    }
}
