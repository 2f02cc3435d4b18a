import CLibrary
import Foundation
import TestSupport

/// A primary and its synchronous standby with the files of the example, and what can go wrong with them.
final class DatabasePair {
    private let machines: ManyMachines
    private(set) var primary: (machine: DatabaseMachine, program: RunningProgram)
    private(set) var standby: (machine: DatabaseMachine, program: RunningProgram)

    /// Sets both machines up as README.md of the example describes it, each with a disk of that size, or with a folder
    /// without a limit.
    init(in machines: ManyMachines, diskSize size: String?) async throws {
        self.machines = machines
        for name in ["setup", "synchronous", "promote"] {
            try machines.install("postgresql/\(name).sql", as: "\(name).sql")
        }
        var made: [DatabaseMachine] = []
        for (name, number) in [("db1", 21), ("db2", 22)] {
            let disk = if let size { try await MemoryDisk(size: size) } else { nil as MemoryDisk? }
            made.append(try await .install(name, number: number, in: machines, on: disk))
        }
        try Self.check(try await made[0].run("initdb", "-D", made[0].data, "-A", "peer"))
        primary = (made[0], try await made[0].start())
        try Self.check(try await made[0].psql("-f", machines.folder.file("setup.sql")))
        for role in ["latchd", "latchd_replication"] {
            try Self.check(try await made[0].psql("-c", "ALTER ROLE \(role) PASSWORD '\(DatabaseMachine.password)'"))
        }
        standby = (made[1], try await Self.startStandby(made[1], primary.machine, machines))
    }

    /// Copies the primary to a standby, starts it and makes commits wait for it.
    private static func startStandby(
        _ machine: DatabaseMachine, _ primary: DatabaseMachine, _ machines: ManyMachines
    ) async throws -> RunningProgram {
        try check(try await machine.copy(from: primary))
        let program = try await machine.start()
        try await eventually { try await primary.psql("-f", machines.folder.file("synchronous.sql")).status == 0 }
        try await eventually {
            try await primary.psql("-c", "SELECT sync_state FROM pg_stat_replication").output == "sync\n"
        }
        return program
    }

    private static func check(_ result: Program.Result) throws {
        guard result.status == 0 else { throw ChildProcess.Failure(result.errors) }
    }

    /// Runs SQL in the gateways' database and returns the values.
    func query(_ sql: String) async throws -> String {
        let result = try await primary.machine.psql("-v", "ON_ERROR_STOP=1", "-d", "latchd", "-c", sql)
        try Self.check(result)
        return result.output
    }

    /// Ends both servers.
    func end() async {
        for program in [standby.program, primary.program] {
            program.send(SIGINT)
            await program.waitForExit()
        }
    }

    // MARK: - Faults

    /// Kills the primary as if its machine lost power, and promotes the standby.
    func promote() async throws {
        Self.signal(primary.program, SIGKILL)
        await primary.program.waitForExit()
        try Self.check(try await standby.machine.psql("-f", machines.folder.file("promote.sql")))
        (primary, standby) = (standby, primary)
    }

    /// Stops the standby. Commits of the primary wait for it.
    func stopStandby() async {
        standby.program.send(SIGINT)
        await standby.program.waitForExit()
    }

    /// Makes the primary continue with one copy of the data, as README.md of the example describes it.
    func continueAlone() async throws {
        try Self.check(
            try await primary.machine.psql(
                "-c", "ALTER SYSTEM SET synchronous_standby_names = ''", "-c", "SELECT pg_reload_conf()"))
    }

    /// Makes the machine that was killed the standby of the new primary.
    func rejoin() async throws {
        try FileManager.default.removeItem(atPath: standby.machine.data)
        standby.program = try await Self.startStandby(standby.machine, primary.machine, machines)
    }

    /// Stops all processes of both machines for a while.
    func pause(for duration: Duration) async throws {
        for program in [primary.program, standby.program] { Self.signal(program, SIGSTOP) }
        try await Task.sleep(for: duration)
        for program in [primary.program, standby.program] { Self.signal(program, SIGCONT) }
    }

    /// Fills the disk of the primary until it can write nothing more, and gives the space back after a while. The
    /// operator starts PostgreSQL again.
    func fillDisk(for duration: Duration) async throws {
        guard let disk = primary.machine.disk else { return }
        try await disk.fill()
        // The log of changes is written in files that are made in advance, so this uses them up.
        let switching = "SELECT pg_logical_emit_message(false, 'failover', 'full'), pg_switch_wal()"
        while try await primary.machine.psql("-c", switching).status == 0 {}
        try await Task.sleep(for: duration)
        try disk.makeRoom()
        primary.program.send(SIGQUIT)
        await primary.program.waitForExit()
        primary.program = try await primary.machine.start()
    }

    /// Sends a signal to a server and all its processes. The server is stopped first, so that it starts no other.
    private static func signal(_ server: RunningProgram, _ signal: Int32) {
        if signal != SIGCONT { server.send(SIGSTOP) }
        let children = try? String(contentsOfFile: "/proc/\(server.id)/task/\(server.id)/children", encoding: .utf8)
        for child in (children ?? "").split(separator: " ").compactMap({ Int32($0) }) { kill(child, signal) }
        server.send(signal)
    }
}
