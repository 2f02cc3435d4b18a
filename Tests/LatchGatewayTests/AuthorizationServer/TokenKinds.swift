import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth

@testable import AuthorizationServer
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway
@testable import SignInBridge

/// A gateway with everything, at one address, and a text of each ``TokenKind``.
///
/// Time Tracker has no prefix, as by default, so its tokens have the issuer of the authorization server.
struct TokenKinds: Sendable {
    let bridge: BridgeFixture
    let oauth: OAuthFixture
    let receiver: SignOutReceiver
    let app = AppSignIn()
    /// A browser whose sign-in at the provider is in progress, and what the provider got.
    let pending: (browser: TestBrowser, request: FormFields)
    let keyed: AssertionMaker
    let prover: ProofMaker
    /// A client that registered itself, and its token.
    let registered: (id: String, token: String)

    var base: GatewayFixture { bridge.base }

    static func with(
        _ sessions: SessionTokens = .stateful, _ body: (TokenKinds) async throws -> Void
    ) async throws {
        let keyed = try AssertionMaker("keyed")
        let client = try keyed.registered(redirects: [OAuthFixture.webRedirect])
        let server = try IntrospectionClient(id: "backend", secret: Secret(TimeTrackerFixture.clientSecret))
        try await SignOutReceiver.with { receiver, address in
            try await BridgeFixture.with(
                ["google"],
                { settings in
                    settings.serveEverything()
                    settings.timeTracker.prefix = ""
                    settings.introspectionClients = [server]
                    settings.sessions.maximumPerPerson = 10_000
                    settings.sessions.tokens = sessions
                    settings.verify.rules.rules = [
                        AccessRule(named: "apps", hosts: ["app.example.org"], admission: .signedIn)
                    ].compactMap { $0 }
                    settings.authorizationServer.clients = [
                        RegisteredClient(
                            id: "app", name: "App", secretHash: nil, redirects: [OAuthFixture.appRedirect],
                            signOut: ClientSignOutSettings(redirects: [], address: address)),
                        RegisteredClient(
                            id: "signed", name: "Signed", secretHash: nil, redirects: [OAuthFixture.appRedirect],
                            accessTokens: .signed),
                        RegisteredClient(id: "tv", name: "TV", secretHash: nil, redirects: [], allowsDevice: true),
                        client,
                    ]
                }
            ) { bridge in
                // The libraries that the documentation uses compare times with the clock of the system.
                bridge.base.clock.advance(Date().timeIntervalSince(bridge.base.clock.now))
                try await bridge.base.addPerson()
                let oauth = OAuthFixture(gateway: bridge.base, browser: PageBrowser(bridge.base))
                _ = try await oauth.browser.signIn()
                let metadata = #"{"redirect_uris":["com.example.own:/callback"],"token_endpoint_auth_method":"none"}"#
                let made = try await bridge.base.http.send(
                    "POST", "/oauth2/register", headers: [("Content-Type", JSON.mediaType)], body: metadata
                ).json
                let (browser, app) = (bridge.browser(), AppSignIn())
                try await body(
                    TokenKinds(
                        bridge: bridge, oauth: oauth, receiver: receiver,
                        pending: (browser, bridge.begin(app, in: browser)), keyed: keyed, prover: ProofMaker(),
                        registered: (
                            (made?["client_id"]?.string).orThrow,
                            (made?["registration_access_token"]?.string).orThrow
                        )))
            }
        }
    }

    /// Returns a fresh text of a kind, which nobody has used.
    func make(_ kind: TokenKind) async throws -> String {
        let resource = [("resource", OAuthFixture.resource)]
        switch kind {
        case .session: return try await base.token()
        case .browserSession:
            let browser = PageBrowser(base)
            _ = try await browser.signIn()
            return try browser.browser.cookies["latchd_session"].orThrow
        case .timeTracker:
            let link = try await timeTrackerLink()
            return try await exchange(link["code"], state: link["state"]).token.orThrow
        case .apiKey:
            let ada = try await base.gateway.stores.people.find(GatewayFixture.email).orThrow
            return try await base.gateway.stores.apiKeys.create(
                for: ada, name: UUID().uuidString, scopes: ["app", "api:read"], maximum: 1_000
            ).key.reveal()
        case .idToken: return try await tokens().id.orThrow
        case .logoutToken:
            _ = receiver.take()
            let ended = try await oauth.post("revoke", [("token", tokens().access), ("client_id", "app")])
            guard ended.status == 200 else { throw Exchange.Broken() }
            await base.gateway.tellClients()
            return try receiver.take().last.orThrow
        case .accessToken: return try await tokens().access
        case .accessTokenForResource: return try await tokens(resource).access
        case .signedToken: return try await tokens(client: "signed").access
        case .signedTokenForResource: return try await tokens(resource, client: "signed").access
        case .boundToken: return try await oauth.boundTokens(prover, oauth.parameters + resource).access
        case .refreshToken: return try await tokens().refresh
        case .authorizationCode: return try await oauth.respond(to: oauth.parameters)["code"].orThrow
        case .deviceCode:
            let codes = try await oauth.codes()
            _ = try await oauth.decide(onDevice: codes.userCode)
            return codes.deviceCode.reveal()
        case .userCode: return try await oauth.codes().userCode
        case .pushedRequest:
            return try (try await oauth.post("par", oauth.parameters).json?["request_uri"]?.string).orThrow
        case .bridgeCode: return try await bridge.deepLink(app)["code"].orThrow
        case .bridgeState: return try pending.request["state"].orThrow
        case .formToken:
            let browser = try oauth.browser.browser.cookies["latchd_session"].orThrow
            return try FormTokens(base.gateway.services.keys.orThrow).token(
                ofSession: await base.gateway.issuer.authenticate(browser).session.orThrow.id)
        case .registrationToken: return registered.token
        case .assertion: return try keyed.assertion(at: base.clock.now)
        case .proof: return try prover.proof("POST", OAuthFixture.tokenAddress, at: base.clock.now)
        case .proofNonce:
            return try (base.gateway.services.keys.map { ProofNonces(key: $0.nonce).current(at: base.clock.now) })
                .orThrow
        }
    }

    private func tokens(_ more: [(String, String)] = [], client: String = "app") async throws -> OAuthTokens {
        let request = OAuthFixture.replacing(oauth.parameters, [("client_id", client)]) + more
        let code = try await oauth.respond(to: request)["code"].orThrow
        return try OAuthTokens(try await oauth.exchange(code, client: client))
    }

    /// The fields with which a sign-in to Time Tracker comes to the app.
    func timeTrackerLink() async throws -> FormFields {
        let browser = bridge.browser()
        let query = FormURLEncoded.encode([("redirect_uri", TimeTrackerFixture.redirect)])
        let start = try await browser.send("GET", "/auth/login?" + query)
        let request = try bridge.google.request(start.headers["Location"]).orThrow
        let answer = FormURLEncoded.encode(try bridge.google.approve(request))
        return try TimeTrackerFixture.fields(of: try await browser.send("GET", "/auth/callback?" + answer))
    }

    /// Exchanges a code of Time Tracker.
    func exchange(_ code: String?, state: String?) async throws -> Exchange.Response {
        let body: JSONValue = [
            "code": .string(code ?? ""), "state": .string(state ?? ""),
            "redirect_uri": .string(TimeTrackerFixture.redirect),
        ]
        return try await base.http.send(
            "POST", "/auth/token", headers: [("Content-Type", JSON.mediaType)],
            body: String(decoding: body.encoded(), as: UTF8.self))
    }
}
