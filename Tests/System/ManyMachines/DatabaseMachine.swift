import Foundation
import TestSupport

/// A PostgreSQL with the files of `Integrations/many-machines/postgresql`: `db1` at address 21 or `db2` at address 22.
struct DatabaseMachine {
    let name: String
    let number: Int
    let machines: ManyMachines
    /// Where the data is, if not in the folder of the machine.
    var disk: MemoryDisk?

    static let programs = "/usr/lib/postgresql/15/bin/"

    var folder: String { machines.folder.file(name) }
    var configuration: String { folder + "/main" }
    var data: String { (disk?.path ?? folder) + "/data" }

    /// Writes the files, as README.md of the example describes it.
    static func install(
        _ name: String, number: Int, in machines: ManyMachines, on disk: MemoryDisk? = nil
    ) async throws -> DatabaseMachine {
        let machine = DatabaseMachine(name: name, number: number, machines: machines, disk: disk)
        try FileManager.default.createDirectory(
            atPath: machine.configuration + "/conf.d", withIntermediateDirectories: true)
        let places = [("/etc/postgresql/15/main", machine.configuration)]
        try machines.install("postgresql/latchd.conf", as: "\(name)/main/conf.d/latchd.conf", places)
        try machines.install("postgresql/\(name).conf", as: "\(name)/main/conf.d/machine.conf", places)
        // Connections to any loopback address come from this one.
        let sources = [11, 12, 13, 21, 22].map { ("10.0.0.\($0)/32", "127.0.0.1/32") }
        try machines.install("postgresql/pg_hba.conf", as: "\(name)/main/pg_hba.conf", sources)
        try machines.folder.write(
            """
            data_directory = '\(machine.data)'
            hba_file = '\(machine.configuration)/pg_hba.conf'
            unix_socket_directories = '\(machine.folder)'
            include_dir 'conf.d'
            """, to: "\(name)/main/postgresql.conf", mode: 0o644)
        try await machine.installSecrets()
        return machine
    }

    private func installSecrets() async throws {
        let pair = try await machines.authority.issue(name, for: "IP:\(machines.address(number))")
        let texts = try [pair.certificate, pair.key, machines.authority.own.certificate].map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        for (file, text) in zip(["server.crt", "server.key", "ca.crt"], texts) {
            try machines.folder.write(text, to: "\(name)/main/\(file)")
        }
        try machines.folder.write(
            "*:*:replication:latchd_replication:\(Self.password)\n", to: "\(name)/main/replication.pgpass")
        try await Self.own(folder)
    }

    static let password = "a password of replication"

    /// Gives a folder to the user that runs PostgreSQL, which refuses to run as root.
    private static func own(_ folder: String) async throws {
        guard getuid() == 0 else { return }
        let result = try await Program.run("chown", ["-R", "postgres:postgres", folder])
        guard result.status == 0 else { throw ChildProcess.Failure(result.errors) }
    }

    /// A command of PostgreSQL, as the user of PostgreSQL.
    private static func command(_ name: String, _ arguments: [String]) -> [String] {
        let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
        return (getuid() == 0 ? ["setpriv"] + user : []) + [programs + name] + arguments
    }

    /// The environment of the commands, in which the user of PostgreSQL has a home that it can read.
    private var baseEnvironment: [String: String] { ["PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": folder] }

    /// Runs a command of PostgreSQL to its end.
    func run(_ name: String, _ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Result
    {
        let command = Self.command(name, arguments)
        return try await Program.run(
            command[0], Array(command.dropFirst()), environment: baseEnvironment.merging(environment) { $1 },
            directory: folder)
    }

    /// Runs `psql` as the administrator of this machine.
    func psql(_ arguments: String...) async throws -> Program.Result {
        let command = Self.command("psql", ["--no-psqlrc", "-tA", "-h", folder, "postgres"] + arguments)
        return try await Program.run(
            command[0], Array(command.dropFirst()), environment: baseEnvironment, directory: folder)
    }

    /// Starts PostgreSQL, and waits until it accepts connections.
    func start() async throws -> RunningProgram {
        let command = Self.command("postgres", ["-D", configuration])
        let program = try RunningProgram(
            command[0], Array(command.dropFirst()), environment: baseEnvironment)
        try await program.line(containing: "database system is ready to accept")
        return program
    }

    /// Makes the data a copy of the primary's, as README.md of the example describes it.
    func copy(from primary: DatabaseMachine) async throws -> Program.Result {
        let authority = "\(configuration)/ca.crt"
        let result = try await run(
            "pg_basebackup", "--checkpoint=fast", "--pgdata=\(data)",
            "--dbname=host=\(machines.address(primary.number)) user=latchd_replication sslmode=verify-full "
                + "sslrootcert=\(authority)", environment: ["PGPASSFILE": "\(configuration)/replication.pgpass"])
        if result.status == 0 {
            try Data().write(to: URL(fileURLWithPath: data + "/standby.signal"))
            try await Self.own(data)
        }
        return result
    }
}
