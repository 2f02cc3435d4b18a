import Foundation
import HTTPMessages
import TestSupport
import Testing

/// One command of one person that is killed, and what must hold afterwards.
struct ClientCrash: Sendable {
    /// What is killed.
    enum Command: String, CaseIterable, Sendable {
        /// The first sign-in on this device.
        case login
        /// A sign-in to an account whose session was ended at the server.
        case loginAgain
        /// A request whose token is due to be renewed.
        case refresh
        /// A request whose token the server refuses.
        case rejection
        case logout
    }

    /// Where the secrets are kept.
    enum Store: String, CaseIterable, Sendable {
        case sealedFile
        case secretService
    }

    private let command: Command
    /// The store, where it is no file.
    private let keyring: Keyring?
    private let fixture: SystemFixture
    private let gateway: RunningGateway
    private let email: String
    private let environment: [String: String]
    private var data: String { environment["XDG_DATA_HOME"]! }

    init(
        _ command: Command, _ store: Store, in fixture: SystemFixture, _ gateway: RunningGateway, person: String
    ) async throws {
        (self.command, self.fixture, self.gateway, email) = (command, fixture, gateway, "\(person)@example.org")
        var environment = fixture.environment.merging(["XDG_DATA_HOME": fixture.folder.file("data-\(person)")]) { $1 }
        switch store {
        case .sealedFile: keyring = nil
        case .secretService:
            let keyring = try await Keyring(in: fixture.folder.file("keyring-\(person)"))
            environment["LATCH_SECRETS"] = "service"
            environment["DBUS_SESSION_BUS_ADDRESS"] = keyring.address
            self.keyring = keyring
        }
        self.environment = environment
        let added = try await fixture.latchd(
            "user", "add", email, "--password-stdin", input: SystemFixture.password + "\n")
        try #require(added.status == 0, "\(added.errors)")
    }

    /// Every system call at which the command can be killed.
    func points() async throws -> [SystemCalls.Point] {
        try await prepare()
        // What stands in files is killed at by the other store's rounds.
        return try await SystemCalls.points(
            named: keyring == nil ? SystemCalls.changes : SystemCalls.messages, of: Products.path("latch"), arguments,
            environment: environment, input: SystemFixture.password + "\n")
    }

    /// Kills the command at a point, looks at what is left, and signs in and out again; whether it came so far.
    func killAndCheck(at point: SystemCalls.Point) async throws -> Bool {
        try await prepare()
        let isKilled = try await SystemCalls.kill(
            at: point, Products.path("latch"), arguments, environment: environment, input: SystemFixture.password + "\n"
        )
        try await check("\(command), killed before \(point)")
        return isKilled
    }

    private var arguments: [String] {
        switch command {
        case .login, .loginAgain: ["login", gateway.address, "--email", email, "--password-stdin"]
        case .refresh, .rejection: ["whoami"]
        case .logout: ["logout"]
        }
    }

    /// Makes the device as it is before the command.
    private func prepare() async throws {
        try? FileManager.default.removeItem(atPath: data)
        guard command != .login else { return }
        try await signIn()
        switch command {
        case .login, .logout: break
        case .loginAgain:
            try await revokeSessions()
            try await untilEnded()
        case .rejection: try await revokeSessions()
        case .refresh: try await makeTokenDue()
        }
    }

    private func signIn() async throws {
        let result = try await latch(
            ["login", gateway.address, "--email", email, "--password-stdin"], input: SystemFixture.password + "\n")
        try #require(result.status == 0, "\(result.errors)")
    }

    private func revokeSessions() async throws {
        _ = try await fixture.latchd("sessions", "revoke", "--user", email)
    }

    /// The gateway is told by the database; asking until it shows waits for the event itself.
    private func untilEnded() async throws {
        while try await latch(["whoami"]).status == 0 {}
    }

    private func latch(_ arguments: [String], input: String = "") async throws -> Program.Result {
        try await Program.run(Products.path("latch"), arguments, environment: environment, input: input)
    }
}

extension ClientCrash {
    private func check(_ what: String) async throws {
        let hadToken = try await hasSecret()
        // The next command of all finishes what was left.
        let accounts = try await Self.accounts(what, environment)
        let sessions = try await liveSessions()

        try #require(accounts.count <= 1, "\(what)")
        let isSignedIn = accounts.first?["isSignedIn"]?.bool == true
        let whoami = try await latch(["whoami"])
        switch command {
        case .login: try #require(accounts.isEmpty || isSignedIn, "\(what): half an account")
        case .loginAgain, .rejection: try #require(accounts.count == 1, "\(what): the account is gone")
        case .refresh: try #require(isSignedIn, "\(what): the session is lost")
        case .logout: try #require(accounts.isEmpty || isSignedIn, "\(what): half an account")
        }
        if command == .rejection {
            try #require(whoami.status == 77, "\(what): \(whoami.status) \(whoami.errors)")
        } else {
            try #require(whoami.status == (isSignedIn ? 0 : 77), "\(what): \(whoami.status) \(whoami.errors)")
        }
        try #require(whoami.status == 0 || whoami.errors.contains("latch login"), "\(what): \(whoami.errors)")
        try await checkSessions(sessions, isSignedIn, hadToken, what)
        let secrets = try await secretCount()
        try #require(secrets == (whoami.status == 0 ? 1 : 0), "\(what): \(secrets) secrets are kept")
        try checkFiles(what)
        // A session that nobody can use would be counted after the next kill.
        if sessions > (isSignedIn ? 1 : 0) { try await revokeSessions() }
        try await checkUse(what)
    }

    /// Nobody's session is left on the server, but for what cannot be helped.
    private func checkSessions(_ live: Int, _ isSignedIn: Bool, _ hadToken: Bool, _ what: String) async throws {
        switch command {
        case .rejection: try #require(live == 0, "\(what)")
        case .refresh, .logout:
            try #require(live == (isSignedIn ? 1 : 0), "\(what): \(live) sessions on the server")
        case .login where hadToken, .loginAgain where isSignedIn:
            try #require(live == (isSignedIn ? 1 : 0), "\(what): \(live) sessions on the server")
        case .login, .loginAgain:
            try #require(live <= 1, "\(what): \(live) sessions on the server")
        }
    }

    /// No file is left but those of an orderly end, and a sealed file's successor that was not finished.
    private func checkFiles(_ what: String) throws {
        let known: Set = [
            "latchstring.db", "latchstring.db-wal", "latchstring.db-shm", "locks", "secrets.sealed",
            "secrets.sealed.new",
            "secrets.sealed.lock", "secrets.key", "secrets.key.new", "secrets.key.lock", "secrets.store",
            "secrets.store.new",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: data + "/latchstring")
        try #require(Set(names).isSubset(of: known), "\(what): \(names)")
    }

    /// The person signs in and out as if nothing had been, and then no secret is left.
    private func checkUse(_ what: String) async throws {
        try await signIn()
        try #require(try await latch(["whoami"]).status == 0, "\(what)")
        let out = try await latch(["logout"])
        try #require(out.status == 0, "\(what): \(out.errors)")
        try #require(try await Self.listedAccounts(what, environment).isEmpty, "\(what)")
        try #require(try await secretCount() == 0, "\(what): a secret is left")
    }

    /// What a sealed file is long that holds no secret, and one token: every secret adds its length.
    private static let nothing = 148
    private static let oneToken = nothing + 12 + "latchstring".count + 36 + 43

    /// Whether the command came so far as to keep a secret, or a file for some.
    private func hasSecret() async throws -> Bool {
        if let keyring { return try await keyring.count() > 0 }
        return FileManager.default.fileExists(atPath: data + "/latchstring/secrets.sealed")
    }

    /// How many secrets are kept; of a sealed file only its length is known.
    private func secretCount() async throws -> Int {
        if let keyring { return try await keyring.count() }
        let sealed = FileManager.default.contents(atPath: data + "/latchstring/secrets.sealed")?.count
        switch sealed {
        case nil, Self.nothing: return 0
        case Self.oneToken: return 1
        case let other?:
            Issue.record("The sealed file has \(other) bytes.")
            return -1
        }
    }

    /// The accounts of a home that `latch` shows after a program was killed there.
    static func accounts(_ what: String, _ environment: [String: String]) async throws -> [JSONValue] {
        // `latch accounts` finishes nothing that a killed program left; any other command does.
        _ = try await Program.run(Products.path("latch"), ["logs"], environment: environment)
        return try await listedAccounts(what, environment)
    }

    private static func listedAccounts(_ what: String, _ environment: [String: String]) async throws -> [JSONValue] {
        let result = try await Program.run(Products.path("latch"), ["accounts", "--json"], environment: environment)
        try #require(result.status == 0, "\(what): \(result.errors)")
        return try result.json()["accounts"]?.array ?? []
    }

    private func liveSessions() async throws -> Int {
        let list = try await fixture.latchd("sessions", "list", email, "--json")
        return try #require(try list.json().array).count
    }

    /// Makes the client believe that the token's time is up.
    private func makeTokenDue() async throws {
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1], timeout=\(SuccessTimeout.seconds))
            assert database.execute("UPDATE accounts SET refresh_after = 0").rowcount == 1
            database.commit()
            """
        let result = try await Program.run("python3", ["-c", script, data + "/latchstring/latchstring.db"])
        try #require(result.status == 0, "\(result.errors)")
    }
}
