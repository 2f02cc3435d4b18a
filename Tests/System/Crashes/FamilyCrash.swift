import Foundation
import HTTPMessages
import TestSupport
import Testing

/// One person's device whose `latch` is killed at a moment, and what must hold afterwards, at a server of any family.
struct FamilyCrash: Sendable {
    /// What is killed.
    enum Command: String, CaseIterable, Sendable {
        case login, rotate, logout
    }

    private static let email = "ada@example.org"
    private static let password = "ada-plays-in-the-sandbox"

    private let family: CrashFamily
    private let place: SandboxFixture
    private let server: (url: String, fixture: SystemFixture, running: RunningGateway?)
    /// Everything that the device keeps.
    private let folder: String
    private let environment: [String: String]
    private var random: SeededRandom
    /// How long each command took the last time that it came to its end.
    private var times: [Command: Duration] = [:]
    /// What the sealed file is long that holds the secret of this family's account.
    private var oneSecret = 0
    /// The token that the account had before the command that is killed.
    private var former: String?

    init(_ family: CrashFamily) async throws {
        self.family = family
        place = try await SandboxFixture()
        server = try await family.gateway(in: place)
        folder = place.base.folder.file("device")
        environment = place.base.environment.merging([
            "XDG_DATA_HOME": folder + "/data", "XDG_STATE_HOME": folder + "/state",
            "XDG_CONFIG_HOME": folder + "/config",
        ]) { $1 }
        random = SeededRandom(for: "Kills of latch, \(family.testDescription)")
    }

    func end() async {
        await server.running?.kill()
        await place.sandbox.end()
    }

    /// Kills a command at so many moments, and looks at what is left each time; how often it came to no end.
    mutating func kill(_ command: Command, moments: Int) async throws -> Int {
        var kills = 0
        for number in 0..<moments {
            try await prepare(for: command)
            let moment = moment(number, of: moments, in: try #require(times[command]))
            let comment = "\(command) at \(family.name), killed after \(moment), LATCHSTRING_SEED=\(random.seed)"
            if try await kill(command, after: moment) {
                kills += 1
            } else {
                // The machine is less busy than it was.
                times[command] = min(moment, times[command] ?? moment)
            }
            try await check(command, comment)
        }
        return kills
    }

    /// Kills a command when the server has just made a key, the moment that random ones seldom meet, and looks at what is
    /// left; how often it came to no end.
    mutating func killOnceKeyIsMade(_ command: Command, times: Int) async throws -> Int {
        var kills = 0
        for number in 0..<times {
            try await prepare(for: command)
            let comment = "\(command) at \(family.name), killed \(2 * number) ms after the key was made"
            let killer = try ChildProcess("python3", ["-c", Self.killer, database, String(2 * number)])
            // It is ready before the program begins.
            await BackgroundThread.run { killer.output.waitForBytes() }
            let program = try start(command)
            killer.input.write(Array("\(program.id)\n".utf8))
            killer.input.close()
            try #require(await killer.waitForExit() == 0)
            if await program.waitForExit() == 137 { kills += 1 }
            try await untilBrowserEnds()
            try await check(command, comment)
        }
        return kills
    }

    private var database: String { server.fixture.folder.file("state/latchd/latchd.db") }

    /// Waits for one more key in the gateway's database, or for the program's end.
    private static let killer = """
        import os, sqlite3, sys, time
        database = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True, timeout=\(SuccessTimeout.seconds))
        count = lambda: database.execute("SELECT coalesce(max(rowid), 0) FROM api_keys").fetchone()[0]
        before = count()
        print("ready", flush=True)
        program = int(sys.stdin.readline())
        try:
            while count() == before: os.kill(program, 0)
            time.sleep(int(sys.argv[2]) / 1000)
            os.kill(program, 9)
        except ProcessLookupError: pass
        """

    /// Each command once to its end, so that it is known how long it takes; nothing may be left.
    mutating func learn() async throws {
        try await signIn()
        oneSecret = try #require(sealed)
        if family.givesKeys {
            try await run(.rotate)
            try #require(try await secrets("rotate") == 1)
        }
        try await signOut("learning")
    }

    /// How long the command takes, for the record.
    func time(of command: Command) -> Duration { times[command] ?? .zero }
}

extension FamilyCrash {
    /// Half of the moments are of the whole time, half of its end: before that a browser is waited for.
    private mutating func moment(_ number: Int, of all: Int, in time: Duration) -> Duration {
        let within = (Double(number / 2) + Double.random(in: 0..<1, using: &random)) / Double((all + 1) / 2)
        return time * (number.isMultiple(of: 2) ? within : 0.6 + 0.5 * within)
    }

    private func kill(_ command: Command, after moment: Duration) async throws -> Bool {
        let program = try start(command)
        try await Task.sleep(for: moment)
        program.send(SIGKILL)
        let status = await program.waitForExit()
        try #require([0, 137].contains(status), "\(command): \(status)")
        try await untilBrowserEnds()
        return status == 137
    }

    /// In a session of its own: nobody is asked at a terminal.
    private func start(_ command: Command) throws -> ChildProcess {
        let program = try ChildProcess(
            "setsid", [Products.path("latch")] + arguments(of: command), environment: environment)
        program.input.write(Array((Self.password + "\n").utf8))
        program.input.close()
        return program
    }

    private func arguments(of command: Command) -> [String] {
        switch (command, family.way) {
        case (.login, .password): ["login", server.url, "--email", Self.email, "--password-stdin"]
        case (.login, .browser):
            [
                "login", server.url, "--browser", "--timeout", "60", "--browser-command",
                "flock '\(browserLock)' \(place.browser())",
            ]
        case (.rotate, _): ["keys", "rotate"]
        case (.logout, _): ["logout"]
        }
    }

    private var browserLock: String { place.base.folder.file("browser.lock") }

    /// The person at the browser goes on when the program is dead.
    private func untilBrowserEnds() async throws {
        _ = try await Program.run("flock", [browserLock, "true"])
    }

    /// Runs a command to its end, and notes how long it took.
    private mutating func run(_ command: Command) async throws {
        let start = ContinuousClock.now
        let program = try self.start(command)
        async let errorOutput = BackgroundThread.run { program.errors.readToEnd() }
        let status = await program.waitForExit()
        times[command] = ContinuousClock.now - start
        let errors = String(decoding: await errorOutput, as: UTF8.self)
        try #require(status == 0, "\(command) at \(family.name): \(errors)")
    }

    private mutating func prepare(for command: Command) async throws {
        let isSignedIn = try await !ClientCrash.accounts("preparing", environment).isEmpty
        if command == .login, isSignedIn { try await signOut("preparing") }
        if command != .login, !isSignedIn { try await signIn() }
        former = command == .login ? nil : try await token()
    }

    private mutating func signIn() async throws {
        try await run(.login)
        try await untilBrowserEnds()
    }

    /// Signs out; then nothing is left here, and nothing there.
    private mutating func signOut(_ what: String) async throws {
        try await run(.logout)
        try #require(try await ClientCrash.accounts(what, environment).isEmpty, "\(what)")
        try #require(try await secrets(what) == 0, "\(what): a secret is left")
        try #require(try await live() == 0, "\(what): something is left on the server")
    }
}

extension FamilyCrash {
    private mutating func check(_ command: Command, _ what: String) async throws {
        let hadToken = try await secrets(what) > 0
        // The next command of all finishes what was left.
        let accounts = try await ClientCrash.accounts(what, environment)
        let isSignedIn = accounts.first?["isSignedIn"]?.bool == true
        try #require(accounts.count <= 1 && (accounts.isEmpty || isSignedIn), "\(what): half an account")
        try #require(command != .rotate || isSignedIn, "\(what): the account is gone")

        let whoami = try await latch(["whoami"])
        try #require(whoami.status == (isSignedIn ? 0 : 77), "\(what): \(whoami.status) \(whoami.errors)")
        try #require(isSignedIn == whoami.output.contains("checked with the server now"), "\(what): \(whoami.output)")
        try #require(try await secrets(what) == (isSignedIn ? 1 : 0), "\(what): not one secret for each account")
        try await checkFiles(isSignedIn, what)
        try await checkServer(command, isSignedIn, hadToken, what)
    }

    /// On the server there is what the account holds, and nothing more.
    private mutating func checkServer(
        _ command: Command, _ isSignedIn: Bool, _ hadToken: Bool, _ what: String
    ) async throws {
        if family.givesKeys {
            // Without a key nothing can be revoked; the next sign-in brings one.
            if !isSignedIn, command == .login { try await signIn() }
            return try await untilServerHas(isSignedIn || command == .login ? 1 : 0, what)
        }
        let live = try await live()
        if isSignedIn || hadToken || command == .logout {
            try #require(live == (isSignedIn ? 1 : 0), "\(what): \(live) sessions on the server")
        } else {
            // It cannot be helped: the token was on its way, and nobody has it. It ends when its time runs out.
            try #require(live <= 1, "\(what): \(live) sessions on the server")
            _ = try await server.fixture.latchd("sessions", "revoke", "--user", Self.email)
        }
    }

    /// What was on its way when the program died may come a little later; every start looks once more.
    private func untilServerHas(_ count: Int, _ what: String) async throws {
        var live = try await live()
        for _ in 0..<50 where live != count {
            _ = try await ClientCrash.accounts(what, environment)
            live = try await self.live()
        }
        try #require(live == count, "\(what): \(live) keys on the server")
    }

    /// Neither password nor token is in a file, also not the token of before, and no file but those of an orderly end.
    private func checkFiles(_ isSignedIn: Bool, _ what: String) async throws {
        var secrets = [Self.password] + (former.map { [$0] } ?? [])
        if isSignedIn { secrets.append(try await token()) }
        let known: Set = [
            "latchstring.db", "latchstring.db-wal", "latchstring.db-shm", "responses.db", "responses.db-wal",
            "responses.db-shm", "locks", "secrets.sealed", "secrets.sealed.new", "secrets.sealed.lock", "secrets.key",
            "secrets.key.new", "secrets.key.lock", "secrets.store", "secrets.store.new",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/data/latchstring")
        try #require(Set(names).isSubset(of: known), "\(what): \(names)")
        for name in FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [] {
            let bytes = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
            for secret in secrets {
                try #require(!bytes.leaks(secret), "\(what): a secret is in \(name)")
            }
        }
    }

    private func latch(_ arguments: [String]) async throws -> Program.Result {
        try await Program.run(Products.path("latch"), arguments, environment: environment)
    }

    private func token() async throws -> String {
        let token = try await latch(["token"]).output.trimmingCharacters(in: .newlines)
        try #require(token.count > 20, "no token is shown")
        return token
    }

    /// How many sessions or keys of the person the server takes.
    private func live() async throws -> Int {
        let list = try await server.fixture.latchd(
            family.givesKeys
                ? ["api-keys", "list", "--person", Self.email, "--json"] : ["sessions", "list", Self.email, "--json"])
        try #require(list.status == 0, "\(list.errors)")
        return try #require(try list.json().array).count
    }

    /// What a sealed file is long that holds no secret.
    private static let nothing = 148

    private var sealed: Int? {
        FileManager.default.contents(atPath: folder + "/data/latchstring/secrets.sealed")?.count
    }

    /// How many secrets are kept; of a sealed file only its length is known, and tokens of one family differ by little.
    private func secrets(_ what: String) async throws -> Int {
        guard let sealed, sealed != Self.nothing else { return 0 }
        try #require(abs(sealed - oneSecret) < 40, "\(what): the sealed file has \(sealed) bytes")
        return 1
    }
}
