import Foundation
import LatchKit
import LatchSandbox
import Observation
import SecretStorage
import TestSupport
import Testing

@testable import LatchScreens

/// A person's device with the app, and servers of every family.
@MainActor
final class AppFixture {
    let sandbox: Sandbox
    let secrets = MemoryStore()
    private let folder: TemporaryDirectory
    private var apps: [AppScreen] = []

    private init(_ sandbox: Sandbox) throws {
        self.sandbox = sandbox
        folder = try TemporaryDirectory()
    }

    /// Runs `body` with a fixture, and closes everything after it.
    static func with(_ body: (AppFixture) async throws -> Void) async throws {
        let fixture = try AppFixture(try await Sandbox.open())
        try await attempt {
            try await body(fixture)
        } finally: {
            for app in fixture.apps { await app.stop() }
            await fixture.sandbox.close()
        }
    }

    var folders: Folders { Folders(data: folder.path + "/latchstring") }
    var ada: (email: String, password: String) { (sandbox.people[0].email, sandbox.people[0].password) }

    /// The settings of a client on this device.
    var configuration: LatchClient.Configuration {
        LatchClient.Configuration(
            folders: folders, secrets: secrets,
            device: Device(program: "latch-desktop", version: "1.2.3", model: "test", type: "Linux"),
            pollInterval: .milliseconds(20))
    }

    /// Starts the app, as opening its window does. Each call is a program of its own.
    func start(browser: Browser? = nil, patience: Duration = .seconds(600)) -> AppScreen {
        let app = AppScreen(configuration, browser: browser, patience: patience)
        apps.append(app)
        app.start()
        return app
    }

    /// The address of a server of a family.
    func url(_ family: String) throws -> String { try #require(sandbox.url(of: family)) }

    /// Signs in with a password through the screens, from the first one.
    func signIn(_ app: AppScreen, to family: String = "immich") async throws -> MainScreen {
        let connect = try await app.connect()
        connect.address = try url(family)
        connect.next()
        let screen = try await app.signInScreen()
        (screen.email, screen.password) = ada
        screen.login()
        return try await app.main()
    }
}

extension AppScreen {
    /// Waits for the screen for the address of a server.
    func connect() async throws -> ConnectScreen {
        try await value {
            if case .signIn(let flow) = $0, case .connect(let screen) = flow.state { screen } else { nil }
        }
    }

    /// Waits for the second step of the sign-in.
    func signInScreen() async throws -> SignInScreen {
        try await value {
            if case .signIn(let flow) = $0, case .signIn(let screen) = flow.state { screen } else { nil }
        }
    }

    /// Waits for the question about a certificate.
    func trust() async throws -> TrustScreen {
        try await value { if case .signIn(let flow) = $0, case .trust(let screen) = flow.state { screen } else { nil } }
    }

    /// Waits for the app of a signed-in account.
    func main() async throws -> MainScreen {
        try await value { if case .main(let screen) = $0 { screen } else { nil } }
    }

    /// Waits until `read` returns a value of the state.
    func value<Value>(_ read: (State) -> Value?) async throws -> Value {
        try await observed { read(state) }
    }
}

/// Waits until `read` returns a value, asking again after each change of what it reads.
@MainActor
func observed<Value>(_ read: () -> Value?) async throws -> Value {
    while true {
        let changes = AsyncStream.makeStream(of: Void.self)
        let value = withObservationTracking(read) { changes.continuation.yield() }
        if let value { return value }
        for await _ in changes.stream { break }
        try Task.checkCancellation()
    }
}

/// Waits until `condition` holds.
@MainActor
func observed(_ condition: () -> Bool) async throws {
    _ = try await observed { condition() ? true : nil }
}
