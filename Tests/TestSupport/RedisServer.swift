import CLibrary
import Synchronization

/// An empty, real Redis server on a Unix domain socket in its own folder and, optionally, on a port.
///
/// It stores nothing on disk, and is killed when the value is destroyed.
public final class RedisServer: Sendable {
    private let folder: TemporaryDirectory
    private let program = Mutex<RunningProgram?>(nil)
    private let configuration: String
    private let held: HeldPort?

    /// The port on 127.0.0.1. Nil when the server only listens on the socket.
    public var port: Int? { held?.number }

    /// The path of the Unix domain socket.
    public var socketPath: String { folder.file("redis.sock") }
    /// The URL of the Unix domain socket.
    public var url: String { "unix:\(socketPath)" }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - hasPort: Whether the server also listens on a port.
    ///   - lines: Additional lines for `redis.conf`, such as passwords.
    /// - Throws: An error when the server does not start.
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

    /// Restarts the server at the same addresses, without its data.
    public func start() async throws {
        let server = try RunningProgram(
            "redis-server", [configuration], environment: ["PATH": "/usr/bin:/bin"])
        try await server.line(containing: "eady to accept connections")
        program.withLock { $0 = server }
    }

    /// Kills the server, as in a crash, and waits for it to end.
    public func stop() async {
        let server = program.withLock { program in
            defer { program = nil }
            return program
        }
        server?.send(SIGKILL)
        await server?.waitForExit()
    }

    /// Sends a signal to the server, such as `SIGSTOP`.
    public func send(_ signal: Int32) {
        program.withLock { $0 }?.send(signal)
    }
}
