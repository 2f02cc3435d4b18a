import FoundationEssentials
import HTTPMessages
import JOSE
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway

/// One module of a plan of the OpenID conformance suite, as a test of this project.
///
/// Source: the names are those of the suite, https://gitlab.com/openid/conformance-suite.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    /// A test plan of the suite.
    enum Plan: String, CaseIterable {
        case basic = "Basic OP"
        case formPost = "Form Post OP"
        case configuration = "Config OP"
        case dynamic = "Dynamic OP"
        case logout = "RP-Initiated and Back-Channel Logout OP"
        case fapi2 = "FAPI 2.0 Security Profile"
    }

    /// How the gateway answers what the module sends.
    enum Outcome: String {
        /// It does what the module expects.
        case supported
        /// It does not offer the optional function, says so in its metadata, and refuses or ignores it as specified.
        case notOffered = "not offered"
    }

    let plan: Plan
    let name: String
    let outcome: Outcome
    let check: @Sendable (ConformanceRun) async throws -> Void

    var testDescription: String { "\(plan.rawValue): \(name)" }

    init(
        _ plan: Plan, _ name: String, _ outcome: Outcome = .supported,
        _ check: @escaping @Sendable (ConformanceRun) async throws -> Void
    ) {
        self.plan = plan
        self.name = name
        self.outcome = outcome
        self.check = check
    }
}

/// A client of the suite at the gateway: the confidential client of ``OAuthFixture``, with one response mode.
struct ConformanceRun: Sendable {
    let fixture: OAuthFixture
    /// The `response_mode` of requests. Nil for the default one.
    let mode: String?
    /// Another client, which signs assertions and must prove its key.
    let signed: AssertionMaker

    /// Starts a gateway with the clients of the suite.
    static func with(
        mode: String? = nil, signed: AssertionMaker? = nil, _ change: (inout GatewaySettings) -> Void = { _ in },
        _ body: (ConformanceRun) async throws -> Void
    ) async throws {
        let signed = try signed ?? AssertionMaker("signed")
        let client = try signed.registered(redirects: [OAuthFixture.webRedirect], requiresProof: true)
        try await OAuthFixture.with({ settings in
            settings.authorizationServer.registration.isEnabled = true
            settings.authorizationServer.clients.append(client)
            settings.setSignOut(ClientSignOutSettings(redirects: [LogoutPlan.redirect], address: nil))
            change(&settings)
        }) { fixture in
            try await body(ConformanceRun(fixture: fixture, mode: mode, signed: signed))
        }
    }

    /// The parameters of a valid request, with other values.
    func parameters(_ changes: [(String, String?)] = []) -> [(String, String)] {
        let own: [(String, String?)] = [("scope", "openid"), ("response_mode", mode)]
        return OAuthFixture.replacing(OAuthFixture.replacing(fixture.webParameters, own), changes)
    }

    /// Signs the person in if necessary, allows the request, and returns the fields of the response.
    func authorize(_ changes: [(String, String?)] = []) async throws -> FormFields {
        if fixture.browser.browser.cookies["latchd_session"] == nil { _ = try await fixture.browser.signIn() }
        return try await finish(try await fixture.open(parameters(changes)))
    }

    /// Allows the client, if the page asks for that, and returns the fields of the response.
    func finish(_ response: Exchange.Response) async throws -> FormFields {
        let asks = PageBrowser.form("/oauth2/authorize", in: response.text) != nil
        return try fields(of: asks ? try await fixture.decide(response) : response)
    }

    /// The fields of a response in the mode of the run.
    func fields(of response: Exchange.Response) throws -> FormFields {
        guard mode == "form_post" else { return try OAuthFixture.fields(of: response) }
        let form = try PageBrowser.form(OAuthFixture.webRedirect, in: response.text).orThrow
        return FormFields(PageBrowser.hiddenFields(of: form).map { (name: $0.0, value: $0.1) })
    }

    /// Exchanges a code with the client's secret in the form.
    func exchange(_ code: String, _ changes: [(String, String?)] = []) async throws -> Exchange.Response {
        let names = changes.map(\.0)
        let secret: [(String, String?)] =
            names.contains("client_secret") ? [] : [("client_secret", OAuthFixture.secret)]
        return try await fixture.exchange(
            code, client: "web", redirect: OAuthFixture.webRedirect, secret + changes)
    }

    /// The whole sign-in.
    func tokens(_ changes: [(String, String?)] = []) async throws -> OAuthTokens {
        try OAuthTokens(try await exchange(try await authorize(changes)["code"].orThrow))
    }

    /// The claims of an ID token, whose signature is checked with the published keys.
    func claims(_ tokens: OAuthTokens) async throws -> JSONValue {
        let signature = try JSONWebSignature(parsing: try tokens.id.orThrow)
        let keys = try await fixture.gateway.http.send("GET", "/oauth2/jwks").json?["keys"]?.array ?? []
        let isSigned = try keys.contains { signature.isValid(by: try JSONWebKey(parsing: $0)) }
        #expect(isSigned)
        return try JSONValue(parsing: signature.payload)
    }

    /// The metadata of OpenID Connect Discovery.
    func metadata() async throws -> JSONValue {
        try await fixture.gateway.http.send("GET", "/.well-known/openid-configuration").json.orThrow
    }

    /// The `error` of a response to a client.
    func error(_ changes: [(String, String?)]) async throws -> String? {
        if fixture.browser.browser.cookies["latchd_session"] == nil { _ = try await fixture.browser.signIn() }
        return try fields(of: try await fixture.open(parameters(changes)))["error"]
    }

    /// Signs the person in again on the page that a response leads to, and returns the response of the endpoint.
    func signInAgain(_ response: Exchange.Response) async throws -> Exchange.Response {
        let page = try response.next.orThrow
        fixture.gateway.clock.advance(1)
        let back = try await fixture.browser.submit("/latch/sign-in", on: page, [("password", GatewayFixture.password)])
        return try await fixture.browser.get(try back.next.orThrow)
    }
}
