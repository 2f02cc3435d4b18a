import DesktopDriver
import Foundation
import Testing

/// The first sign-in, with a password.
struct SignInAct: KilledAct {
    let name = "sign-in"
    let countsSessions = true
    private let email = "ada@example.org"
    private let observer: PersonFolders

    /// Makes the act. A second device of the person sees the sessions on the server.
    init() throws { observer = try PersonFolders() }

    func prepare(_ device: KilledDevice) async throws {
        try await observer.signIn(email, device.sandbox, "immich")
    }

    func open(_ app: DesktopApp, _ device: KilledDevice) async throws {
        try await app.connect(to: device.sandbox.addresses["immich"]!)
        try await app.type(email, into: "Email")
        try await app.type(device.sandbox.passwords[email]!, into: "Password")
    }

    func perform(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.press("Login")
        try await app.wait(for: .label, email)
    }

    func check(_ device: KilledDevice, after changes: [String]) async throws {
        let accounts = try await device.accounts()
        try #require(accounts.count <= 1 && accounts.allSatisfy(\.isSignedIn), "\(accounts)")
        let whoami = try await device.folders.latch("whoami")
        try #require(whoami.code == (accounts.isEmpty ? 77 : 0), "\(whoami)")
        try #require(try device.secretCount() == accounts.count)
        try device.checkFiles()
        // The server starts the session before the device has its token. A program that is killed in between leaves a session
        // that nobody can use, and that ends when its time runs out.
        let isUnknown =
            changes.contains { $0.hasPrefix("send POST /api/auth/login") }
            && !changes.contains("rename data/latchstring/secrets.sealed")
        let sessions = try await device.sessions(of: observer)
        try #require(sessions == (isUnknown ? 1 : accounts.count), "\(sessions) sessions on the server, \(accounts)")
        if isUnknown { try await observer.latch("sessions", "revoke", "--others").requireSuccess() }
    }

    func complete(_ app: DesktopApp, _ device: KilledDevice) async throws {
        let page = try await app.wait(forOneOf: (.label, email), (.field, "Server URL"), (.field, "Password"))
        if page == "Server URL" { try await app.connect(to: device.sandbox.addresses["immich"]!) }
        guard page != email else { return }
        try await app.type(email, into: "Email")
        try await app.type(device.sandbox.passwords[email]!, into: "Password")
        try await perform(app, device)
    }

    func checkEnd(_ device: KilledDevice) async throws {
        let accounts = try await device.accounts()
        try #require(accounts.count == 1 && accounts[0].isActive)
        try await device.latch("whoami")
        try #require(try device.secretCount() == 1)
        try #require(try await device.sessions(of: observer) == 1)
        try await observer.latch("sessions", "revoke", "--others").requireSuccess()
    }
}

/// The sign-out of the only account.
struct SignOutAct: KilledAct {
    let name = "sign-out"
    let countsSessions = true
    private let email = "bob@example.org"
    private let observer: PersonFolders

    /// Makes the act. A second device of the person sees the sessions on the server.
    init() throws { observer = try PersonFolders() }

    func prepare(_ device: KilledDevice) async throws { try await observer.signIn(email, device.sandbox, "immich") }

    func prepareMoment(_ device: KilledDevice) async throws {
        try await device.folders.signIn(email, device.sandbox, "immich")
    }

    func open(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.wait(for: .label, email)
        try await app.press("Accounts")
        try await app.press("Sign out")
        try await app.wait(for: .label, "Sign out?")
    }

    func perform(_ app: DesktopApp, _ device: KilledDevice) async throws {
        try await app.answer("Sign out")
        try await app.wait(for: .field, "Server URL")
        // The page is shown before the server responds. The entry in the log is the end.
        let log = device.folders.root.appending(path: "state/latchstring/client.log")
        while app.program.isRunning, try !String(contentsOf: log, encoding: .utf8).contains("\"sign-out\"") {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func check(_ device: KilledDevice, after _: [String]) async throws {
        let accounts = try await device.accounts()
        try #require(accounts.count <= 1 && accounts.allSatisfy(\.isSignedIn), "\(accounts)")
        let whoami = try await device.folders.latch("whoami")
        try #require(whoami.code == (accounts.isEmpty ? 77 : 0), "\(whoami)")
        try #require(try device.secretCount() == accounts.count)
        try #require(try await device.sessions(of: observer) == accounts.count)
        try device.checkFiles()
    }

    func complete(_ app: DesktopApp, _ device: KilledDevice) async throws {
        if try await app.wait(forOneOf: (.label, email), (.field, "Server URL")) == email {
            try await open(app, device)
            try await perform(app, device)
        }
    }

    func checkEnd(_ device: KilledDevice) async throws {
        try #require(try await device.accounts().isEmpty)
        try #require(try device.secretCount() == 0)
        try #require(try await device.sessions(of: observer) == 0)
    }
}

/// The switch to another account, when the active one has cached responses.
struct SwitchAct: KilledAct {
    let name = "switch"
    private let old = "ada@example.org"
    private let new = "bob@example.org"

    func prepare(_ device: KilledDevice) async throws {
        try await device.folders.signIn(new, device.sandbox, "onyx")
        try await device.folders.signIn(old, device.sandbox, "immich")
    }

    func open(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.wait(for: .label, old)
        try await app.press("Library")
        try await app.wait(for: .image, containing: "Photo, ")
        try await app.press("Back")
        try await app.press("Accounts")
        try await app.wait(for: .button, containing: "Switch to this account")
    }

    func perform(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.press(containing: "Switch to this account")
        try await app.wait(for: .label, new)
    }

    func check(_ device: KilledDevice, after _: [String]) async throws {
        let accounts = try await device.accounts()
        let active = accounts.filter(\.isActive)
        try #require(accounts.count == 2 && accounts.allSatisfy(\.isSignedIn) && active.count == 1, "\(accounts)")
        let cached = try await device.cachedAccounts()
        try #require(cached.isSubset(of: active.map { $0.id.lowercased() }), "\(cached)")
        try #require(try await device.latch("whoami").contains(active[0].userEmail))
        try #require(try device.secretCount() == 2)
        try device.checkFiles()
    }

    func complete(_ app: DesktopApp, _ device: KilledDevice) async throws {
        if try await app.wait(forOneOf: (.label, old), (.label, new)) == old {
            try await open(app, device)
            try await perform(app, device)
        }
    }

    func checkEnd(_ device: KilledDevice) async throws {
        try #require(try await device.accounts().first { $0.isActive }?.userEmail == new)
        let old = try #require(try await device.accounts().first { !$0.isActive })
        try #require(try await !device.cachedAccounts().contains(old.id.lowercased()))
        for email in [self.old, new] { try await device.latch("whoami", "--account", email) }
    }
}
