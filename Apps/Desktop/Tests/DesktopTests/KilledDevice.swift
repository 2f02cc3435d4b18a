import DesktopDriver
import Foundation
import Testing

/// The device of a person on which a program is killed.
struct KilledDevice: Sendable {
    /// The PIN that is set, or is to be set.
    static let pin = "482913"

    let folders: PersonFolders
    let sandbox: RunningSandbox
    let bus: SessionBus

    init(_ folders: PersonFolders, _ sandbox: RunningSandbox, _ bus: SessionBus) {
        (self.folders, self.sandbox, self.bus) = (folders, sandbox, bus)
    }

    /// An account in the list of `latch`.
    struct Account: Decodable {
        var id: String
        var userEmail: String
        var isActive: Bool
        var isSignedIn: Bool
    }

    /// A file in the queue.
    struct Download: Decodable {
        var id: String
        var state: String
        var path: String?
        var bytes: Int?
    }

    /// Starts the window on a bus of its own.
    @Accessibility
    func launch(_ environment: [String: String] = [:]) async throws -> DesktopApp {
        try await DesktopApp.launch(folders, environment: environment.merging(bus.environment) { $1 })
    }

    /// Runs the window, and closes it afterwards as a person does.
    @Accessibility
    func withWindow(
        _ environment: [String: String] = [:], _ body: @Accessibility (DesktopApp) async throws -> Void
    ) async throws {
        let app = try await launch(environment)
        do {
            try await body(app)
            try await app.activate("quit", on: bus)
        } catch {
            await app.program.end(SIGKILL)
            throw error
        }
        try #require(await app.program.exitCode() == 0, "\(app.program.errors)")
    }

    /// Runs `latch`, which must succeed, and returns what it printed.
    @discardableResult
    func latch(_ arguments: String..., input: String = "") async throws -> String {
        try await folders.latch(arguments, input: input).requireSuccess()
    }

    /// The accounts after a command that finishes what a killed program left. `latch accounts` finishes nothing.
    func accounts() async throws -> [Account] {
        struct List: Decodable { var accounts: [Account] }
        try await latch("logs")
        return try JSONDecoder().decode(List.self, from: Data(try await latch("accounts", "--json").utf8)).accounts
    }

    /// The files of the queue.
    func downloads() async throws -> [Download] {
        struct List: Decodable { var downloads: [Download] }
        let output = try await latch("downloads", "list", "--json")
        return try JSONDecoder().decode(List.self, from: Data(output.utf8)).downloads
    }

    /// The number of the person's sessions on the server, without the one of the device that asks.
    func sessions(of observer: PersonFolders) async throws -> Int {
        struct List: Decodable {
            struct Session: Decodable { var id: String }
            var sessions: [Session]
        }
        let result = try await observer.latch("sessions", "list", "--json")
        try #require(result.code == 0, "\(result.errors)")
        return try JSONDecoder().decode(List.self, from: Data(result.output.utf8)).sessions.count - 1
    }

    /// The number of secrets in the sealed file, each of which is a token. Only the length of the file is known: 148 bytes
    /// without secrets, and of a token its name, its 43 characters and 12 bytes.
    func secretCount() throws -> Int {
        let file = folders.root.appending(path: "data/latchstring/secrets.sealed")
        guard let size = try? Data(contentsOf: file).count else { return 0 }
        let token = 12 + "latchstring".count + 36 + 43
        try #require((size - 148) % token == 0, "The sealed file has \(size) bytes.")
        return (size - 148) / token
    }

    /// The accounts that have cached responses or thumbnails.
    func cachedAccounts() async throws -> Set<String> {
        var accounts: Set<String> = []
        for name in ["responses", "thumbnails"] {
            let file = "cache/latchstring/\(name).db"
            guard FileManager.default.fileExists(atPath: folders.root.path + "/" + file) else { continue }
            let rows = try await folders.sql("SELECT DISTINCT lower(account) FROM responses", in: file)
            accounts.formUnion(rows.split(separator: "\n").map(String.init))
        }
        return accounts
    }

    /// Checks that no file is left but those of an orderly end, and successors of files that were not complete.
    func checkFiles() throws {
        let known: Set = [
            "latchstring.db", "latchstring.db-wal", "latchstring.db-shm", "locks", "secrets.sealed",
            "secrets.sealed.new",
            "secrets.sealed.lock", "secrets.key", "secrets.key.new", "secrets.key.lock", "secrets.store", "lock.json",
            "lock.json.new", "lock.json.next.new",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: folders.root.path + "/data/latchstring")
        try #require(Set(names).isSubset(of: known), "\(names)")
    }

    /// Checks that the device is unlocked, or is locked with the PIN, and that the token is still there.
    func checkLock() async throws {
        _ = try await folders.latch("lock")
        let token = try await folders.latch("token")
        try #require([0, 80].contains(token.code), "\(token.errors)")
        if token.code == 80 { try await latch("unlock", "--pin-stdin", input: Self.pin + "\n") }
        try await latch("whoami")
        try checkFiles()
    }
}

extension CommandResult {
    /// Returns what the command printed. It must have succeeded.
    @discardableResult
    func requireSuccess() throws -> String {
        try #require(code == 0, "\(output)\(errors)")
        return output
    }
}
