import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway

/// A gateway with two confidential clients: `web`, and `rival`, whose values are sent for those of `web`. Ada is signed
/// in and has allowed both.
struct HostileFixture: Sendable {
    /// A client and its values.
    struct Client: Sendable {
        let id: String
        let secret: String
        let redirect: String
        let signOutRedirect: String

        var registered: RegisteredClient {
            RegisteredClient(
                id: id, name: id, secretHash: SHA256.digest(secret), redirects: [redirect], allowsDevice: true,
                signOut: ClientSignOutSettings(redirects: [signOutRedirect]))
        }

        var credentials: [(String, String)] { [("client_id", id), ("client_secret", secret)] }
    }

    static let web = Client(
        id: "web", secret: OAuthFixture.secret, redirect: OAuthFixture.webRedirect,
        signOutRedirect: "https://web.example.org/goodbye")
    static let rival = Client(
        id: "rival", secret: "a secret of the rival that nobody guesses",
        redirect: "https://rival.example.org/callback",
        signOutRedirect: "https://rival.example.org/goodbye")

    let fixture: OAuthFixture
    /// The verifiers of the two clients.
    private let verifiers = [web.id: PKCE.Verifier(), rival.id: PKCE.Verifier()]

    static func with(_ body: (HostileFixture) async throws -> Void) async throws {
        try await OAuthFixture.with({ settings in
            settings.authorizationServer.clients = [web.registered, rival.registered]
            settings.authorizationServer.registration.isEnabled = true
            settings.authorizationServer.servesDialectsToDevices = true
            settings.requestRates.address = .perMinute(1_000_000)
            settings.requestRates.writes = .perMinute(1_000_000)
            settings.sessions.maximumPerPerson = 1_000
        }) { fixture in
            _ = try await fixture.browser.signIn()
            let hostile = HostileFixture(fixture: fixture)
            for client in [web, rival] { _ = try await hostile.tokens(of: client) }
            try await body(hostile)
        }
    }

    func verifier(of client: Client) -> PKCE.Verifier { verifiers[client.id] ?? PKCE.Verifier() }

    /// The parameters of a valid authorization request.
    func authorization(of client: Client) -> [(String, String)] {
        [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", client.redirect),
            ("scope", client.id == "web" ? "openid profile" : "openid email"), ("state", "the state of \(client.id)"),
            ("nonce", "the nonce of \(client.id)"), ("code_challenge", verifier(of: client).challenge.text),
            ("code_challenge_method", "S256"), ("response_mode", "query"),
        ]
    }

    /// Opens the authorization endpoint and allows the request if the page asks for that.
    func authorize(_ parameters: [(String, String)]) async throws -> Exchange.Response {
        let response = try await fixture.open(parameters)
        let asks = PageBrowser.form("/oauth2/authorize", in: response.text) != nil
        return asks ? try await fixture.decide(response) : response
    }

    func code(of client: Client) async throws -> String {
        try OAuthFixture.fields(of: try await authorize(authorization(of: client)))["code"].orThrow
    }

    /// The form that exchanges a new code.
    func exchange(of client: Client) async throws -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", try await code(of: client)),
            ("redirect_uri", client.redirect), ("code_verifier", verifier(of: client).secret.reveal()),
        ] + client.credentials
    }

    func tokens(of client: Client) async throws -> OAuthTokens {
        try OAuthTokens(try await fixture.post("token", try await exchange(of: client)))
    }

    /// The code of a device that Ada has allowed.
    func deviceCode(of client: Client) async throws -> String {
        let codes = try await fixture.codes([("client_id", client.id), ("client_secret", client.secret)])
        _ = try await fixture.decide(onDevice: codes.userCode)
        return codes.deviceCode.reveal()
    }

    /// The address of a pushed request.
    func pushed(of client: Client) async throws -> String {
        let form = authorization(of: client) + [("client_secret", client.secret)]
        return try (try await fixture.post("par", form).json?["request_uri"]?.string).orThrow
    }

    /// How an endpoint that returns JSON responds: `ok`, or the error. Nothing is issued together with an error.
    static func outcome(_ response: Exchange.Response) -> String {
        if response.json?["active"] == false { return "inactive" }
        guard let error = response.json?["error"]?.string else {
            return response.status < 300 ? "ok" : "\(response.status)"
        }
        let isSilent = ["access_token", "refresh_token", "id_token", "request_uri", "device_code", "client_id"]
            .allSatisfy { response.json?[$0] == nil }
        return response.status >= 400 && isSilent ? error : "\(error) with \(response.status)"
    }

    /// How the authorization endpoint responds to a request of `web`: `ok`, the error that its redirect address gets, or
    /// `page` when the browser goes nowhere.
    static func authorizationOutcome(_ response: Exchange.Response) throws -> String {
        guard let location = response.next else {
            return response.status == 400 ? "page" : "\(response.status)"
        }
        guard location.hasPrefix(web.redirect + "?") else { return "redirects to \(location)" }
        let fields = try OAuthFixture.fields(of: response)
        guard fields["iss"] == OAuthFixture.issuer else { return "no issuer" }
        return fields["error"] ?? (fields["code"] == nil ? "no code" : "ok")
    }
}
