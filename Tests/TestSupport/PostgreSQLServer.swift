import CLibrary
import Foundation
import Synchronization

/// A real PostgreSQL server with its own data folder, on a Unix domain socket in it and, optionally, on a port.
///
/// The server is stopped when the value is destroyed. It does not survive a power failure, because it does not flush its
/// files. If the tests run as root, it runs as the user `postgres`.
public final class PostgreSQLServer: Sendable {
    /// The folder of the server's programs.
    public static let programs = "/usr/lib/postgresql/15/bin"

    private static let shared = SharedServer()

    private let folder: TemporaryDirectory
    private let program = Mutex<RunningProgram?>(nil)
    private let settings: [String]
    private let locales: String?
    private let databases = Atomic<Int>(0)
    /// The databases that no test needs any more. Each needs 10 MB.
    private let unneeded = Mutex<[String]>([])

    /// The folder of the Unix domain socket.
    public var socketFolder: String { folder.path }

    /// The server that the tests of a process share. It starts at the first call.
    public static func running() async throws -> PostgreSQLServer { try await shared.server() }

    /// Initializes a data folder and starts a server.
    ///
    /// - Parameters:
    ///   - settings: Additional settings, such as `max_connections=10`.
    ///   - locales: A folder of `localedef(1)` with the locales of the settings. Default: those of the system.
    /// - Throws: An error when the server does not start.
    public init(_ settings: String..., locales: String? = nil) async throws {
        folder = try TemporaryDirectory.forSockets()
        self.settings = settings
        self.locales = locales
        chmod(folder.path, 0o777)
        try await run(
            "initdb",
            [
                "--pgdata", folder.file("data"), "--auth=trust", "--username=latchd", "--no-sync", "--encoding=UTF8",
                "--locale=C.UTF-8",
            ])
        try await start()
    }

    /// Starts the server again after ``stop(_:)``.
    public func start() async throws {
        var arguments = ["-D", folder.file("data"), "-k", folder.path]
        for setting in [
            "listen_addresses=", "fsync=off", "full_page_writes=off", "max_connections=500", "shared_buffers=32MB",
        ] + settings {
            arguments += ["-c", setting]
        }
        let server = try RunningProgram(
            Self.command("postgres").path, Self.command("postgres").arguments + arguments,
            environment: Self.environment.merging(locales.map { ["LOCPATH": $0] } ?? [:]) { $1 })
        try await server.line(containing: "database system is ready to accept connections")
        program.withLock { $0 = server }
    }

    /// Sends a signal to the server, and waits for it to end. `SIGINT` ends the sessions and stops; `SIGQUIT` is a
    /// crash.
    public func stop(_ signal: Int32) async {
        let server = program.withLock { program in
            defer { program = nil }
            return program
        }
        server?.send(signal)
        await server?.waitForExit()
    }

    /// Creates a database, and returns its address. It is a copy of `template`, to which nobody may be connected.
    public func createDatabase(named name: String? = nil, from template: String = "template1") async throws -> String {
        let name = name ?? "test\(databases.add(1, ordering: .relaxed).newValue)"
        let unneeded = unneeded.withLock { names in
            defer { names = [] }
            return names
        }
        try await query(
            ["CREATE DATABASE \"\(name)\" TEMPLATE \"\(template)\""]
                + unneeded.map { "DROP DATABASE IF EXISTS \"\($0)\" WITH (FORCE)" }, in: "postgres")
        return address(of: name)
    }

    /// Drops a database when the next one is created.
    public func dropLater(databaseAt address: String) {
        unneeded.withLock { $0.append(Self.name(ofDatabaseAt: address)) }
    }

    /// Stops the server at the end of the process, and removes its files.
    func removeAtExit() {
        program.withLock { $0 }?.send(SIGQUIT)
        TemporaryDirectory.removeAtExit(folder.path)
    }

    /// Returns the address of a database. A connection has ``SuccessTimeout`` instead of the two seconds of the gateway.
    public func address(of database: String) -> String {
        "postgresql://latchd@/\(database)?host=\(folder.path)&connect_timeout=\(SuccessTimeout.seconds)"
    }

    /// Returns the name of the database of an address.
    public static func name(ofDatabaseAt address: String) -> String {
        String(address.split(separator: "@/")[1].split(separator: "?")[0])
    }

    /// Ends all connections to a database, and renames it, so that its address leads to none, or to another one that is
    /// created afterwards.
    public func renameDatabase(_ name: String, to newName: String) async throws {
        for sql in [
            "ALTER DATABASE \(name) ALLOW_CONNECTIONS false",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'",
            "ALTER DATABASE \(name) RENAME TO \(newName)", "ALTER DATABASE \(newName) ALLOW_CONNECTIONS true",
        ] {
            try await query(sql, in: "postgres")
        }
    }

    /// Runs SQL in a database, and returns the values of its rows as text, a line a row.
    @discardableResult
    public func query(_ sql: String, in database: String) async throws -> String {
        try await query([sql], in: database)
    }

    /// Runs statements in a database, each in a transaction of its own.
    @discardableResult
    private func query(_ statements: [String], in database: String) async throws -> String {
        try await run(
            "psql",
            [
                "--host", folder.path, "--username=latchd", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
                "--set=ON_ERROR_STOP=1", "--dbname", database,
            ] + statements.flatMap { ["--command", $0] })
    }

    /// Runs SQL in a transaction that stays open, as that of an operator who forgot it.
    ///
    /// - Returns: A function that ends the transaction.
    public func hold(_ sql: String, in database: String) async throws -> @Sendable () async throws -> Void {
        let holding = Task { try await self.query(sql + "; SELECT pg_sleep(600)", in: database) }
        let held = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        try await eventually { try await self.query("SELECT count(*) \(held)", in: database) == "1\n" }
        return {
            try await self.query("SELECT pg_terminate_backend(pid) \(held)", in: database)
            _ = await holding.result
        }
    }

    @discardableResult
    private func run(_ name: String, _ arguments: [String]) async throws -> String {
        let (path, first) = Self.command(name)
        let result = try await Program.run(path, first + arguments, environment: Self.environment)
        guard result.status == 0 else { throw ChildProcess.Failure("\(name) failed: \(result.errors)") }
        return result.output
    }

    private static let environment = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]

    /// PostgreSQL refuses to run as root.
    private static func command(_ name: String) -> (path: String, arguments: [String]) {
        let path = "\(programs)/\(name)"
        guard getuid() == 0 else { return (path, []) }
        return ("/usr/bin/setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", path])
    }
}

private actor SharedServer {
    private static let running = Mutex<PostgreSQLServer?>(nil)
    private var starting: Task<PostgreSQLServer, any Error>?

    func server() async throws -> PostgreSQLServer {
        let task = starting ?? Task { try await Self.start() }
        starting = task
        return try await task.value
    }

    private static func start() async throws -> PostgreSQLServer {
        let server = try await PostgreSQLServer()
        running.withLock { $0 = server }
        atexit { SharedServer.running.withLock { $0 }?.removeAtExit() }
        return server
    }
}
