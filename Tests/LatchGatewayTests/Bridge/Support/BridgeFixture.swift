import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import OAuth
import OpenIDConnect
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import LatchGateway
@testable import SignInBridge

/// A gateway with identity providers beside it.
struct BridgeFixture: Sendable {
    static let redirect = "onyx://auth/callback"

    let base: GatewayFixture
    /// By their ids at the gateway.
    let providers: [String: SmallProvider]

    var google: SmallProvider {
        get throws { try providers["google"].orThrow }
    }

    /// Runs `body` with a gateway that has a provider for each id, and closes everything after it.
    static func with(
        _ ids: [String] = ["google"], codes: (@Sendable (TestClock) -> any CodeStore)? = nil,
        _ change: (inout GatewaySettings) -> Void = { _ in },
        server: (inout HTTPServer.Configuration) -> Void = { _ in }, _ body: (BridgeFixture) async throws -> Void
    ) async throws {
        let clock = TestClock()
        var providers: [String: SmallProvider] = [:]
        for id in ids { providers[id] = try await SmallProvider.start(now: { clock.now }) }
        let started = providers
        try await attempt {
            try await GatewayFixture.with(
                { settings in
                    settings.providers = ids.compactMap { id in started[id].map { configuration(id, $0) } }
                    change(&settings)
                }, clock: clock, codes: codes?(clock), server: server
            ) { try await body(BridgeFixture(base: $0, providers: started)) }
        } finally: {
            for provider in started.values { await provider.stop() }
        }
    }

    /// The same with Immich's dialect.
    static func withImmich(
        _ ids: [String] = ["google"], _ change: (inout GatewaySettings) -> Void = { _ in },
        _ body: (BridgeFixture) async throws -> Void
    ) async throws {
        try await with(
            ids,
            {
                $0.immich.isEnabled = true
                $0.immich.prefix = "/immich/api"
                change(&$0)
            }, body)
    }

    private static func configuration(_ id: String, _ provider: SmallProvider) -> ProviderConfiguration {
        ProviderConfiguration(
            id: id, kind: .oidc, title: "Sign in with \(id)",
            settings: ProviderSettings(
                issuer: provider.issuer, clientID: SmallProvider.clientID,
                authentication: .post(Secret(SmallProvider.clientSecret)),
                timeout: SuccessTimeout.duration), linksByEmail: true)
    }

    func browser() -> TestBrowser { TestBrowser(base.http) }
}

/// A sign-in of an app: what it remembers of it.
struct AppSignIn: Sendable {
    let verifier = PKCE.Verifier()
    let state = State()

    /// The query that begins it.
    func query(_ more: [(String, String)] = [], redirect: String = BridgeFixture.redirect) -> String {
        FormURLEncoded.encode(
            [
                ("redirect", "true"), ("mobile_redirect_uri", redirect), ("app_state", state.text),
                ("app_code_challenge", verifier.challenge.text),
            ] + more)
    }
}

extension BridgeFixture {
    static let authorize = "/api/auth/mobile/oauth/authorize"
    static let callback = "/api/auth/oauth/callback"

    /// Begins a sign-in; what the provider gets to see.
    func begin(
        _ app: AppSignIn, in browser: TestBrowser, path: String = BridgeFixture.authorize,
        at provider: String = "google"
    ) async throws -> FormFields {
        let response = try await browser.send("GET", "\(path)?\(app.query())")
        return try providers[provider].orThrow.request(response.next).orThrow
    }

    /// Brings the provider's answer to the gateway.
    func returnToGateway(
        _ fields: [(String, String)], in browser: TestBrowser, path: String = BridgeFixture.callback
    ) async throws -> Exchange.Response {
        try await browser.send("GET", "\(path)?\(FormURLEncoded.encode(fields))")
    }

    /// Signs in as far as the deep link.
    func deepLink(
        _ app: AppSignIn, in browser: TestBrowser? = nil, as account: SmallProvider.Account = .init()
    ) async throws -> FormFields {
        let browser = browser ?? self.browser()
        let request = try await begin(app, in: browser)
        let response = try await returnToGateway(try google.approve(request, account), in: browser)
        return try Self.fields(of: response)
    }

    /// The fields of the deep link that an answer leads to.
    static func fields(of response: Exchange.Response) throws -> FormFields {
        let link = try response.next.orThrow
        guard link.hasPrefix(redirect + "?") else { throw Exchange.Broken() }
        return try FormURLEncoded.decode(String(link.dropFirst(redirect.count + 1)))
    }

    /// Exchanges a code.
    func exchange(_ code: String?, _ verifier: PKCE.Verifier) async throws -> Exchange.Response {
        try await exchange(code, verifier.secret.reveal())
    }

    /// Exchanges a code with any text for a verifier.
    func exchange(_ code: String?, _ verifier: String) async throws -> Exchange.Response {
        let body: JSONValue = ["code": .string(code ?? ""), "code_verifier": .string(verifier)]
        return try await base.http.send(
            "POST", "/api/auth/mobile/sso/exchange", headers: [("Content-Type", "application/json")],
            body: String(decoding: body.encoded(), as: UTF8.self))
    }
}

extension Optional {
    /// The value; throws when there is none.
    var orThrow: Wrapped {
        get throws {
            guard let self else { throw Exchange.Broken() }
            return self
        }
    }
}
