import Crypto
import HTTPClient
import HTTPMessages
import Testing

@testable import LatchKit

/// A row of the tables over dialects: a server of a family, and one of its ways to sign in.
struct Family: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether a browser has a part in signing in.
    var usesBrowser = false
    let make: @Sendable () async throws -> FamilyFixture
    var testDescription: String { name }
    /// Whether a sign-in shows a proof with a date that is read here.
    var hasDatedProof: Bool { name == "Relate Mail, provider" }
    /// Whether a sign-out is answered with 204, which cannot be cut.
    var leavesWithoutBody: Bool {
        ["Onyx", "Relate Mail", "anything behind latchd"].contains { name.hasPrefix($0) }
    }

    /// As `latchd`: a server of Time Tracker itself ends nothing.
    private static let revoking: TimeTrackerScript.Settings = {
        var settings = TimeTrackerScript.Settings()
        (settings.logout, settings.revokes) = (.json(#"{"message":"Logged out successfully"}"#), true)
        return settings
    }()

    /// A token that none of the tables lets expire, and refresh tokens whose lost responses can be repeated.
    private static let lasting: OAuthScript.Settings = {
        var settings = OAuthScript.Settings()
        (settings.lifetime, settings.repeats) = (864_000, true)
        settings.person = ["sub": "sub-7", "email": "ada@example.org"]
        return settings
    }()

    static let all = [
        Family(name: "Onyx, password") { try FamilyFixture(OnyxFixture(), browser: false) },
        Family(name: "Onyx, browser", usesBrowser: true) { try FamilyFixture(OnyxFixture(), browser: true) },
        Family(name: "Immich, password") { try FamilyFixture(ImmichFixture(), browser: false) },
        Family(name: "Immich, browser", usesBrowser: true) { try FamilyFixture(ImmichFixture(), browser: true) },
        Family(name: "Time Tracker", usesBrowser: true) { try FamilyFixture(TimeTrackerFixture(revoking)) },
        Family(name: "Relate Mail, provider", usesBrowser: true) { FamilyFixture(try await RelateMailFixture()) },
        Family(name: "Relate Mail, key") { FamilyFixture(key: try await RelateMailFixture()) },
        Family(name: "OAuth", usesBrowser: true) { try FamilyFixture(OAuthFixture(lasting)) },
        Family(name: "anything behind latchd, password") { try FamilyFixture(ForwardAuthFixture(), browser: false) },
        Family(name: "anything behind latchd, browser", usesBrowser: true) {
            try FamilyFixture(ForwardAuthFixture(), browser: true)
        },
    ]
}

extension Family {
    /// Those whose accounts hold keys.
    static let keys = all.filter { $0.name.hasPrefix("Relate Mail") }
}

/// A home, a server that a script plays, and a person who signs in there, whatever the family.
struct FamilyFixture: Sendable {
    let home: HomeFixture
    let wire: ScriptedServer
    let address: ServerAddress
    /// Where people sign in, and where it is asked who they are.
    let door: ServerAddress
    /// How the server behaves when nothing is wrong.
    let rules: @Sendable (ScriptedServer.Request) -> ScriptedServer.Response
    /// Signs in at a server that was found; what is given happens when the browser is about to come back.
    let begin: @Sendable (LatchClient, Server, @escaping @Sendable () -> Void) async throws -> Account
    /// Which dialects are asked; nil for all, as a program does.
    var dialects: [any Dialect]?
    var stop: @Sendable () async -> Void = {}

    init(_ fixture: OnyxFixture, browser: Bool) {
        (home, wire, address, door) = (fixture.home, fixture.wire, fixture.address, fixture.address)
        if browser { Self.offerBrowser(fixture.onyx) }
        rules = { fixture.onyx.response($0) }
        begin = browser ? Self.byBrowser(fixture.home, at: fixture.address) : Self.byPassword
    }

    init(_ fixture: ImmichFixture, browser: Bool) {
        (home, wire, address, door) = (fixture.home, fixture.wire, fixture.address, fixture.address)
        rules = { fixture.immich.response($0) }
        begin = browser ? Self.byBrowser(fixture.home, at: fixture.address) : Self.byPassword
    }

    init(_ fixture: ForwardAuthFixture, browser: Bool) {
        (home, wire, address, door) = (fixture.home, fixture.wire, fixture.address, fixture.gateway)
        if browser { Self.offerBrowser(fixture.onyx) }
        rules = { fixture.response($0) }
        begin = browser ? Self.byBrowser(fixture.home, at: fixture.gateway) : Self.byPassword
    }

    init(_ fixture: TimeTrackerFixture) {
        (home, wire, address, door) = (fixture.home, fixture.wire, fixture.address, fixture.address)
        rules = { fixture.script.response($0) }
        begin = Self.byBrowser(fixture.home, at: fixture.address)
    }

    init(_ fixture: OAuthFixture) {
        (home, wire, address, door) = (fixture.home, fixture.wire, fixture.address, fixture.address)
        rules = { fixture.script.response($0) }
        begin = Self.byBrowser(fixture.home, at: fixture.address)
    }

    init(_ fixture: RelateMailFixture) {
        self.init(fixture, begin: Self.byBrowser(fixture.home, at: fixture.address))
    }

    init(key fixture: RelateMailFixture) {
        let key = fixture.server.add("latch", scopes: ["app"]).key
        self.init(fixture) { latch, server, _ in
            try await latch.signIn(KeySignIn(key: Secret(key)), to: server)
        }
    }

    private init(
        _ fixture: RelateMailFixture,
        begin: @escaping @Sendable (LatchClient, Server, @escaping @Sendable () -> Void) async throws -> Account
    ) {
        (home, wire, address, door) = (fixture.home, fixture.wire, fixture.address, fixture.address)
        rules = { fixture.server.response($0) }
        self.begin = begin
        // The identity provider's clock stands still as the home's does.
        dialects = Dialects.all.map { $0.id == fixture.dialect.id ? fixture.dialect : $0 }
        stop = { await fixture.stop() }
    }

    /// Probes and signs in.
    func signIn(_ latch: LatchClient, connection: ConnectionOptions = .init()) async throws -> Account {
        try await begin(latch, try await find(latch, connection)) {}
    }

    private static func offerBrowser(_ onyx: OnyxScript) {
        onyx.intercept { request in
            if request.path == "/api/auth/type" { return .json(BrowserSignInTests.authType) }
            return request.path.hasPrefix("/.well-known/") ? .json(#"{"detail":"Not Found"}"#, 404) : nil
        }
    }

    /// Asks the server, or whatever is at another address, what it is.
    func find(
        _ latch: LatchClient, _ connection: ConnectionOptions, at place: ServerAddress? = nil
    ) async throws -> Server {
        let place = place ?? address
        guard let dialects else { return try await latch.probe(place, connection: connection).requireServer() }
        var direct = connection
        direct.proxy = direct.proxy ?? ""
        return try await ServerProbe(connection: direct, dialects: dialects).run(place).requireServer()
    }

    private static let byPassword:
        @Sendable (LatchClient, Server, @escaping @Sendable () -> Void) async throws -> Account =
            { latch, server, _ in
                try await latch.signIn(
                    PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: server)
            }

    private static func byBrowser(
        _ home: HomeFixture, at door: ServerAddress
    ) -> @Sendable (LatchClient, Server, @escaping @Sendable () -> Void) async throws -> Account {
        { latch, server, comingBack in
            let person = BrowserPerson(home: home)
            // What goes to the web for the person's browser.
            let web = try HTTPClient(HTTPClient.Configuration(extraHeaders: ["X-Browser": "yes"], proxy: ""))
            return try await withThrowingTaskGroup(of: Account?.self) { group in
                group.addTask { try await latch.signIn(person.signIn(.scheme), to: server) }
                group.addTask {
                    let address = await person.address()
                    guard !address.isEmpty else { return nil }
                    // The browser finds the server also where the program is led astray.
                    let reached = ["http", "https"].reduce(address) { address, scheme in
                        address.replacing("\(scheme)://\(server.address.authority)/", with: door.origin + "/")
                    }
                    let link = try await web.send(ClientRequest(method: .get, url: reached)).headers["Location"] ?? ""
                    comingBack()
                    try person.open(link)
                    return nil
                }
                defer { group.cancelAll() }
                while let account = try await group.next() {
                    if let account { return account }
                }
                throw CancellationError()
            }
        }
    }
}
