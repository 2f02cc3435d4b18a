import Foundation
import HTTPMessages
import TestSupport

/// A transaction that another program leaves open on a PostgreSQL server, and which has locked a table.
final class HeldTable: Sendable {
    private let server: PostgreSQLServer
    private let database: String
    private let condition: String
    private let program: RunningProgram

    /// Locks a table.
    ///
    /// - Parameters:
    ///   - table: The name of the table.
    ///   - mode: `SHARE` stops those who write, and `ACCESS EXCLUSIVE` also those who read.
    ///   - address: The address of the database, as the server returned it.
    ///   - server: The server.
    /// - Throws: An error when psql ends first.
    init(_ table: String, _ mode: String, at address: String, of server: PostgreSQLServer) async throws {
        self.server = server
        database = PostgreSQLServer.name(ofDatabaseAt: address)
        condition = "relation = '\(table)'::regclass"
        program = try RunningProgram(
            "psql",
            ["--host", server.socketFolder, "--username=latchd", "--no-psqlrc", "--dbname", database]
                + ["BEGIN", "LOCK TABLE \(table) IN \(mode) MODE", "SELECT pg_sleep(600)"].flatMap {
                    ["--command", $0]
                },
            environment: ["PATH": "/usr/bin:/bin"])
        let lock = mode.split(separator: " ").map { $0.capitalized }.joined() + "Lock"
        try await eventually { try await count("granted AND mode = '\(lock)'") == 1 }
    }

    /// Waits until another connection waits for the lock.
    func waitForWaiter() async throws {
        try await eventually { try await count("NOT granted") ?? 0 > 0 }
    }

    /// Ends the transaction.
    func release() async throws {
        try await server.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = "
                + "current_database()", in: database)
        await program.waitForExit()
    }

    private func count(_ state: String) async throws -> Int? {
        let found = try await server.query(
            "SELECT count(*) FROM pg_locks WHERE \(condition) AND \(state)", in: database)
        return Int(found.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}

extension SystemFixture {
    /// The same home with another database.
    func with(database: String) -> SystemFixture {
        SystemFixture(
            sharing: self, ["LATCHD_DATABASE": database, "LATCHD_BRIDGE_KEY_FILE": folder.file("bridge.key")])
    }

    /// Starts `latchd` and does not wait for it.
    func begin(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(Products.path("latchd"), arguments, environment: environment)
    }

    /// Adds people, and returns their e-mail addresses.
    @discardableResult
    func add(_ names: String...) async throws -> [String] {
        let emails = names.map { "\($0)@example.org" }
        for email in emails {
            let added = try await latchd("user", "add", email, "--password-stdin", input: CrashClient.password + "\n")
            guard added.status == 0 else { throw ChildProcess.Failure(added.errors) }
        }
        return emails
    }

    /// The number of people, or of sessions, as `latchd database status` has it.
    func stored(_ what: String) async throws -> Int? {
        try await latchd("database", "status", "--json").json()[what]?.integer
    }
}
