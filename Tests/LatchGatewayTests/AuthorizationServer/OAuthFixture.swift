import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway
@testable import SignInBridge

/// A gateway with the authorization server, a public and a confidential client, and Ada in a browser.
struct OAuthFixture: Sendable {
    static let issuer = "http://127.0.0.1"
    static let appRedirect = "com.example.app:/callback"
    static let loopbackRedirect = "http://127.0.0.1/callback"
    static let webRedirect = "https://web.example.org/callback"
    static let secret = "a secret of the web client that nobody guesses"
    static let resource = "https://app.example.org"

    let gateway: GatewayFixture
    let browser: PageBrowser
    let verifier = PKCE.Verifier()

    static func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, codes: (any CodeStore)? = nil,
        _ body: (OAuthFixture) async throws -> Void
    ) async throws {
        try await GatewayFixture.withPages(
            codes: codes,
            { settings in
                configure(&settings)
                change(&settings)
            }
        ) { gateway in
            try await body(OAuthFixture(gateway: gateway, browser: PageBrowser(gateway)))
        }
    }

    static func configure(_ settings: inout GatewaySettings) {
        settings.publicURL = issuer
        settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
        settings.verify.isEnabled = true
        settings.verify.rules.rules = [
            AccessRule(named: "apps", hosts: ["app.example.org"], admission: .signedIn)
        ].compactMap { $0 }
        settings.authorizationServer.isEnabled = true
        settings.authorizationServer.clients = [
            RegisteredClient(
                id: "app", name: "Example App", secretHash: nil, redirects: [appRedirect, loopbackRedirect]),
            RegisteredClient(
                id: "web", name: "Example Web", secretHash: SHA256.digest(secret), redirects: [webRedirect]),
        ]
    }

    /// The parameters of a valid request of the public client.
    var parameters: [(String, String)] {
        [
            ("response_type", "code"), ("client_id", "app"), ("redirect_uri", Self.appRedirect),
            ("scope", "openid profile email"), ("state", "the state"), ("nonce", "the nonce"),
            ("code_challenge", verifier.challenge.text), ("code_challenge_method", "S256"),
        ]
    }

    /// The parameters of a valid request of the confidential client.
    var webParameters: [(String, String)] {
        Self.replacing(parameters, [("client_id", "web"), ("redirect_uri", Self.webRedirect)])
    }

    /// Returns parameters with other values; a nil value removes a parameter.
    static func replacing(_ pairs: [(String, String)], _ changes: [(String, String?)]) -> [(String, String)] {
        let names = Set(changes.map(\.0))
        return pairs.filter { !names.contains($0.0) } + changes.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Opens the authorization endpoint in the browser.
    func open(_ parameters: [(String, String)]) async throws -> Exchange.Response {
        try await browser.get("/oauth2/authorize?" + FormURLEncoded.encode(parameters))
    }

    /// Decides on a consent page.
    func decide(_ page: Exchange.Response, _ decision: String = "allow") async throws -> Exchange.Response {
        let form = try PageBrowser.form("/oauth2/authorize", in: page.text).orThrow
        return try await browser.post(
            "/oauth2/authorize", PageBrowser.hiddenFields(of: form) + [("decision", decision)])
    }

    /// Signs Ada in, allows the request, and returns the fields of the response to the client.
    func respond(to parameters: [(String, String)]) async throws -> FormFields {
        if browser.browser.cookies["latchd_session"] == nil { _ = try await browser.signIn() }
        var response = try await open(parameters)
        if response.status == 200 { response = try await decide(response) }
        return try Self.fields(of: response)
    }

    /// Returns the fields in the query of the address that a response leads to.
    static func fields(of response: Exchange.Response) throws -> FormFields {
        let location = try response.next.orThrow
        return try FormURLEncoded.decode(String(location.split(separator: "?", maxSplits: 1).last.orThrow))
    }

    /// Posts a form to an endpoint.
    func post(
        _ endpoint: String, _ fields: [(String, String)], headers: [(String, String)] = []
    ) async throws -> Exchange.Response {
        try await gateway.http.send(
            "POST", "/oauth2/" + endpoint, headers: [("Content-Type", FormURLEncoded.mediaType)] + headers,
            body: FormURLEncoded.encode(fields))
    }

    /// Exchanges a code.
    func exchange(
        _ code: String, client: String = "app", redirect: String = appRedirect, _ changes: [(String, String?)] = []
    ) async throws -> Exchange.Response {
        let fields = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", client), ("redirect_uri", redirect),
            ("code_verifier", verifier.secret.reveal()),
        ]
        return try await post("token", Self.replacing(fields, changes))
    }

    /// Signs in and returns the tokens of the public client.
    func tokens(_ parameters: [(String, String)]? = nil) async throws -> OAuthTokens {
        let fields = try await respond(to: parameters ?? self.parameters)
        let code = try fields["code"].orThrow
        return try OAuthTokens(try await exchange(code))
    }

    func refresh(_ token: String, client: String = "app") async throws -> Exchange.Response {
        try await post(
            "token", [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client)])
    }

    func userInfo(_ token: String) async throws -> Exchange.Response {
        try await gateway.http.send("GET", "/oauth2/userinfo", headers: GatewayFixture.bearer(token))
    }

    /// Asks `/auth/verify` about a request with a token.
    func verify(_ token: String, host: String = "app.example.org", path: String = "/") async throws -> Int {
        try await gateway.http.send(
            "GET", "/auth/verify",
            headers: [
                ("X-Forwarded-Host", host), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"),
                ("X-Forwarded-Uri", path),
            ] + GatewayFixture.bearer(token)
        ).status
    }
}

/// The tokens of a response of the token endpoint. Two are equal if the access and the refresh tokens are: each response
/// has an ID token of its own.
struct OAuthTokens: Sendable, Equatable {
    let access: String
    let refresh: String
    let id: String?

    static func == (left: OAuthTokens, right: OAuthTokens) -> Bool {
        left.access == right.access && left.refresh == right.refresh
    }

    init(access: String, refresh: String, id: String?) {
        self.access = access
        self.refresh = refresh
        self.id = id
    }

    init(_ response: Exchange.Response) throws {
        access = try (response.json?["access_token"]?.string).orThrow
        refresh = try (response.json?["refresh_token"]?.string).orThrow
        id = response.json?["id_token"]?.string
    }
}

extension GatewaySettings {
    /// Lets the confidential client take part in sign-outs.
    mutating func setSignOut(_ signOut: ClientSignOutSettings) {
        authorizationServer.clients[1] = RegisteredClient(
            id: "web", name: "Example Web", secretHash: SHA256.digest(OAuthFixture.secret),
            redirects: [OAuthFixture.webRedirect], signOut: signOut)
    }
}
