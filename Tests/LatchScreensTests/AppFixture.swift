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

    /// The environment of a device on which no program is registered for links.
    var environment: [String: String] {
        let own = ["HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS"].map {
            ($0, folder.path)
        }
        return ProcessInfo.processInfo.environment.merging(own) { $1 }
    }

    /// The settings of a client on this device.
    var configuration: LatchClient.Configuration { configuration(with: secrets) }

    /// The settings of a client on this device with a secret store. Nil: the one that the app chooses.
    func configuration(with secrets: (any SecretStoring)?) -> LatchClient.Configuration {
        LatchClient.Configuration(
            folders: folders, secrets: secrets,
            device: Device(program: "latch-desktop", version: "1.2.3", model: "test", type: "Linux"),
            pollInterval: .milliseconds(20))
    }

    /// Starts the app, as opening its window does. Each call is a program of its own.
    func start(browser: Browser? = nil, confirmationTimeout: Duration = .seconds(600)) -> AppScreen {
        start(secrets: secrets, browser: browser, confirmationTimeout: confirmationTimeout)
    }

    /// Starts the app with a secret store. Nil: the one that the app chooses.
    func start(
        secrets: (any SecretStoring)?, browser: Browser? = nil, confirmationTimeout: Duration = .seconds(600)
    ) -> AppScreen {
        let app = AppScreen(
            configuration(with: secrets), browser: browser, confirmationTimeout: confirmationTimeout,
            environment: environment)
        apps.append(app)
        app.start()
        return app
    }

    /// The address of a server of a family.
    func url(_ family: String) throws -> String { try #require(sandbox.url(of: family)) }

    /// Signs in with a password through the screens, from the first one.
    func signIn(_ app: AppScreen, to family: String = "immich") async throws -> MainScreen {
        let screen = try await signInScreen(app, of: family)
        (screen.email, screen.password) = ada
        screen.login()
        return try await app.main()
    }

    /// Enters the address of a server, and waits for the second step.
    func signInScreen(_ app: AppScreen, of family: String) async throws -> SignInScreen {
        let connect = try await app.connect()
        connect.address = try url(family)
        connect.next()
        return try await app.signInScreen()
    }

    /// Starts a front with TLS before the Immich server. Its certificate is self-signed.
    func tlsFront() async throws -> TLSFront {
        try await TLSFront(to: UInt16(try #require(try ServerAddress(try url("immich")).port)), in: folder)
    }

    /// Enters the address of a front, and waits for the question about its certificate.
    func trustScreen(_ app: AppScreen, at front: TLSFront) async throws -> TrustScreen {
        let connect = try await app.connect()
        connect.address = "https://127.0.0.1:\(front.port)"
        connect.next()
        return try await app.trust()
    }

    /// Signs in to an Immich or Relate Mail server on another device, whose name is `model`.
    func signInElsewhere(_ model: String, to family: String = "immich") async throws -> LatchClient {
        let other = try await LatchClient.open(
            LatchClient.Configuration(
                folders: Folders(data: "\(folders.data)-\(model)"), secrets: MemoryStore(),
                device: Device(program: "other", version: "1", model: model, type: "Linux")))
        let server = try await other.probe(ServerAddress(try url(family))).requireServer()
        if family == "immich" {
            _ = try await other.signIn(PasswordSignIn(email: ada.email, password: Secret(ada.password)), to: server)
        } else {
            let pages = AsyncStream.makeStream(of: String.self)
            let signIn = BrowserSignIn(
                provider: nil, browser: nil,
                onEvent: { if case .waiting(let address, _) = $0 { pages.continuation.yield(address) } },
                promptForCallback: {
                    for await address in pages.stream { return try? await self.link(from: address) }
                    return nil
                })
            _ = try await other.signIn(signIn, to: server)
        }
        return other
    }

    /// Signs in on the page with an address, and returns the link with which the browser then returns.
    func link(from address: String) async throws -> String {
        let person = try await Program.run(
            Products.packageFolder + "/scripts/person", [ada.email, ada.password, "allow", address],
            environment: environment.merging(["PERSON_PRINTS": "1"]) { $1 })
        guard person.status == 0 else { throw ChildProcess.Failure(person.errors) }
        return person.output.trimmingCharacters(in: .newlines)
    }

    /// Registers a program of the device for the links with a scheme.
    func registerProgram(for scheme: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("applications"), withIntermediateDirectories: true)
        try folder.write("[Desktop Entry]\nType=Application\nName=A\nExec=true %u\n", to: "applications/a.desktop")
        try folder.write("[Default Applications]\nx-scheme-handler/\(scheme)=a.desktop\n", to: "mimeapps.list")
    }
}

extension AppScreen {
    /// Waits for the screen for the address of a server.
    func connect() async throws -> ConnectScreen {
        try await value {
            if case .signIn(let flow) = $0, case .connect(let screen) = flow.state { screen } else { nil }
        }
    }

    /// Waits for the question for the passphrase of the secrets.
    func passphrase() async throws -> PassphraseScreen {
        try await value { if case .passphrase(let screen) = $0 { screen } else { nil } }
    }

    /// Waits for the second step of the sign-in.
    func signInScreen() async throws -> SignInScreen {
        try await value {
            if case .signIn(let flow) = $0, case .signIn(let screen) = flow.state { screen } else { nil }
        }
    }

    /// Signs in with the first provider, and waits until the page for the browser is known.
    func useBrowser(_ screen: SignInScreen) async throws -> BrowserScreen {
        screen.useBrowser(try #require(screen.providers.first))
        let browser: BrowserScreen = try await value {
            if case .signIn(let flow) = $0, case .browser(let screen) = flow.state { screen } else { nil }
        }
        let address: String = try await observed { browser.address }
        #expect(address.hasPrefix("http"))
        return browser
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
