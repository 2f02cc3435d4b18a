import Crypto
import Foundation
import HTTPMessages
import TestSupport

/// A home with somebody signed in to a server of pictures.
struct PictureFixture {
    let base: SystemFixture
    /// Where the files come to unless something else is said.
    var library: String { base.folder.file("Pictures/Immich") }

    /// Signs in to a server.
    init(signedInTo url: String, email: String, password: String, in fixture: SystemFixture? = nil) async throws {
        base = try fixture ?? SystemFixture()
        let result = try await base.latch(
            "login", url, "--email", email, "--password-stdin", "--secrets-key", Self.key(base),
            input: password + "\n")
        guard result.status == 0 else { throw ChildProcess.Failure(result.errors) }
    }

    /// Signs in to a server that is scripted.
    init(signedInTo server: PictureServer) async throws {
        try await self.init(signedInTo: server.url, email: PictureServer.email, password: PictureServer.password)
    }

    /// Runs `latch` to its end.
    func latch(_ arguments: String...) async throws -> Program.Result { try await latch(arguments) }

    /// Runs `latch` to its end; through a program that starts it, where one is named.
    func latch(
        _ arguments: [String], through command: [String] = [], input: String = ""
    ) async throws -> Program.Result {
        let commandLine = try command + [Products.path("latch")] + arguments + ["--secrets-key", Self.key(base)]
        return try await Program.run("/usr/bin/env", commandLine, environment: base.environment, input: input)
    }

    /// Starts `latch`.
    func start(_ arguments: String...) throws -> RunningProgram { try start(arguments) }

    /// Starts `latch`.
    func start(_ arguments: [String], input: String = "") throws -> RunningProgram {
        try RunningProgram(
            Products.path("latch"), arguments + ["--secrets-key", Self.key(base)], environment: base.environment,
            input: input)
    }

    /// Starts `latch` at a terminal.
    func atTerminal(_ arguments: String...) throws -> PseudoTerminal {
        try PseudoTerminal(
            Products.path("latch"), arguments + ["--secrets-key", Self.key(base)], environment: base.environment)
    }

    /// The files of the library, or of another folder, without parts.
    func files(in folder: String? = nil) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder ?? library)?.allObjects as? [String] ?? []
        return all.filter { !$0.hasPrefix(".latchstring") && SafeKind.isFile((folder ?? library) + "/" + $0) }.sorted()
    }

    /// The parts that are left.
    func parts() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: library + "/.latchstring")) ?? []
    }

    /// Where the part of a picture is, or will be, while its account is the only one.
    func partPath(of id: String) async throws -> String {
        // The first use of the queue creates its tables.
        _ = try await latch("downloads", "list")
        let read = """
            import sqlite3, sys
            print(*next(sqlite3.connect(sys.argv[1]).execute("SELECT o.id, a.id FROM download_owner o, accounts a")))
            """
        let database = base.folder.file("data/latchstring/latchstring.db")
        let fields = try await Program.run("python3", ["-c", read, database]).output.split { $0.isWhitespace }
        guard fields.count == 2 else { throw ChildProcess.Failure("The accounts database does not tell.") }
        let name = SHA256.digest("\(fields[1].lowercased())/\(id)").hexadecimal.prefix(24)
        return "\(library)/.latchstring/\(fields[0])-\(name).part"
    }

    /// The bytes of a file of the library.
    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: library + "/" + name))) }

    /// The lines of an output, as JSON.
    static func events(_ output: String) throws -> [JSONValue] {
        try output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }

    private static func key(_ fixture: SystemFixture) throws -> String {
        let path = fixture.folder.file("key")
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(
                atPath: path, contents: Data((0..<32).map { _ in UInt8.random(in: 0...255) }),
                attributes: [.posixPermissions: 0o600])
        }
        return path
    }
}

private enum SafeKind {
    static func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }
}
