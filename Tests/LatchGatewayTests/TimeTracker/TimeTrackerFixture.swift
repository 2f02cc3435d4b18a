import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import LatchGateway
@testable import SignInBridge

/// A gateway that speaks as Time Tracker does, with identity providers beside it.
struct TimeTrackerFixture: Sendable {
    static let redirect = "timetracker://oauth/callback"
    static let issuer = "https://latch.example/tt"
    static let clientSecret = "0123456789abcdef0123456789abcdef"

    let bridge: BridgeFixture

    var base: GatewayFixture { bridge.base }
    var http: Exchange { base.http }
    var clock: TestClock { base.clock }

    static func with(
        _ ids: [String] = ["google"], callback: TimeTrackerSettings.Callback = .gateway,
        codes: (any CodeStore)? = nil,
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (TimeTrackerFixture) async throws -> Void
    ) async throws {
        let client = try IntrospectionClient(id: "backend", secret: Secret(clientSecret))
        var make: (@Sendable (TestClock) -> any CodeStore)?
        if let codes { make = { _ in codes } }
        func set(_ settings: inout GatewaySettings) {
            settings.timeTracker.isEnabled = true
            settings.timeTracker.prefix = "/tt"
            settings.timeTracker.callback = callback
            settings.timeTracker.startRate.requests = 100_000
            settings.publicURL = "https://latch.example"
            settings.introspectionClients = [client]
            change(&settings)
        }
        try await BridgeFixture.with(ids, codes: make, set) { bridge in
            try await body(TimeTrackerFixture(bridge: bridge))
        }
    }

    /// The app opens the login in a browser; what the provider gets to see.
    func begin(
        _ browser: TestBrowser, at provider: String = "google", redirect: String = TimeTrackerFixture.redirect
    ) async throws -> FormFields {
        let query = FormURLEncoded.encode([("redirect_uri", redirect)])
        let response = try await browser.send("GET", "/tt/auth/login?\(query)")
        return try bridge.providers[provider].orThrow.request(response.headers["Location"]).orThrow
    }

    /// What comes to the app's address at the end of the way in the browser, by the way that the gateway is set to.
    func deepLink(
        in browser: TestBrowser? = nil, as account: SmallProvider.Account = .init()
    ) async throws -> FormFields {
        let browser = browser ?? bridge.browser()
        let request = try await begin(browser)
        let fields = try bridge.google.approve(request, account)
        guard request["redirect_uri"] != Self.redirect else { return FormFields(fields.map { ($0.0, $0.1) }) }
        return try Self.fields(of: try await returnToGateway(fields, in: browser))
    }

    /// Brings the provider's answer to the gateway.
    func returnToGateway(
        _ fields: [(String, String)], in browser: TestBrowser, path: String = "/tt/auth/callback"
    ) async throws -> Exchange.Response {
        try await browser.send("GET", "\(path)?\(FormURLEncoded.encode(fields))")
    }

    /// The fields of the deep link that an answer leads to.
    static func fields(of response: Exchange.Response) throws -> FormFields {
        let link = try response.headers["Location"].orThrow
        guard link.hasPrefix(redirect + "?") else { throw Exchange.Broken() }
        return try FormURLEncoded.decode(String(link.dropFirst(redirect.count + 1)))
    }

    /// `POST /auth/token` with what came to the app.
    func exchange(
        _ link: FormFields, code: String? = nil, state: String? = nil, redirect: String = TimeTrackerFixture.redirect
    ) async throws -> Exchange.Response {
        try await post([
            "code": .string(code ?? link["code"] ?? ""), "state": .string(state ?? link["state"] ?? ""),
            "redirect_uri": .string(redirect),
        ])
    }

    func post(_ body: JSONValue) async throws -> Exchange.Response {
        try await post(String(decoding: body.encoded(), as: UTF8.self))
    }

    func post(_ body: String, type: String = "application/json") async throws -> Exchange.Response {
        try await http.send("POST", "/tt/auth/token", headers: [("Content-Type", type)], body: body)
    }

    /// The token of a whole sign-in.
    func token() async throws -> String {
        try await exchange(deepLink()).token.orThrow
    }

    func me(_ token: String?) async throws -> Exchange.Response {
        try await http.send("GET", "/tt/auth/me", headers: GatewayFixture.bearer(token))
    }

    func logout(_ token: String?) async throws -> Exchange.Response {
        try await http.send("POST", "/tt/auth/logout", headers: GatewayFixture.bearer(token), body: "")
    }

    /// The keys as everybody gets them.
    func keys() async throws -> JSONWebKeySet {
        try JSONWebKeySet(parsing: try await http.send("GET", "/tt/.well-known/jwks.json").body)
    }

    func introspect(_ token: String, at path: String = "/tt/auth/introspect") async throws -> JSONValue? {
        let form = [("token", token), ("client_id", "backend"), ("client_secret", Self.clientSecret)]
        return try await http.send(
            "POST", path, headers: [("Content-Type", FormURLEncoded.mediaType)], body: FormURLEncoded.encode(form)
        ).json
    }

    /// The claims of a token whose signature one of `keys` made.
    static func claims(of token: String, by keys: JSONWebKeySet) throws -> JSONValue? {
        let signature = try JSONWebSignature(parsing: token)
        guard let algorithm = signature.header.algorithm else { return nil }
        let candidates = keys.candidates(keyID: signature.header.keyID, algorithm: algorithm)
        guard candidates.contains(where: { signature.isValid(by: $0) }) else { return nil }
        return try JSONValue(parsing: signature.payload)
    }
}
