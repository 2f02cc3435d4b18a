import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import LatchGateway

/// A hostile site in the person's browser, and codes that end up at another client.
@Suite("Hostile browsers", .timeLimit(.minutes(20)))
struct HostileBrowserTests {
    @Test("RFC 9700 §4.5 a code that an attacker injects into the sign-in of somebody else is refused and used up")
    func injection() async throws {
        try await HostileFixture.with { hostile in
            // The attacker's own code, and one that was stolen: the client of the victim has another verifier.
            let code = try await hostile.code(of: HostileFixture.web)
            var form = try await hostile.exchange(of: HostileFixture.web)
            form = OAuthFixture.replacing(form, [("code", code), ("code_verifier", PKCE.Verifier().secret.reveal())])
            #expect(HostileFixture.outcome(try await hostile.fixture.post("token", form)) == "invalid_grant")
            form = OAuthFixture.replacing(
                form, [("code_verifier", hostile.verifier(of: HostileFixture.web).secret.reveal())])
            #expect(HostileFixture.outcome(try await hostile.fixture.post("token", form)) == "invalid_grant")
        }
    }

    @Test("RFC 9207 §2 RFC 9700 §4.4 every response names the issuer, and a code is good for its client only")
    func mixUp() async throws {
        try await HostileFixture.with { hostile in
            let request = hostile.authorization(of: HostileFixture.web)
            for (name, value) in [("state", "x"), ("prompt", "none"), ("response_type", "token"), ("max_age", "x")] {
                let response = try await hostile.authorize(OAuthFixture.replacing(request, [(name, value)]))
                #expect(try OAuthFixture.fields(of: response).values("iss") == [OAuthFixture.issuer], "\(name)")
            }
            let denied = try await hostile.fixture.decide(
                try await hostile.fixture.open(OAuthFixture.replacing(request, [("prompt", "consent")])), "deny")
            #expect(try OAuthFixture.fields(of: denied).values("iss") == [OAuthFixture.issuer])
            // The code that a mixed-up client sends to the rival, which is a client here too.
            let stolen = OAuthFixture.replacing(
                try await hostile.exchange(of: HostileFixture.web),
                HostileFixture.rival.credentials.map { ($0.0, $0.1 as String?) })
            #expect(HostileFixture.outcome(try await hostile.fixture.post("token", stolen)) == "invalid_grant")
        }
    }

    @Test(
        "RFC 9700 §4.16 no page on which a person decides can be framed, and no form of it is accepted from elsewhere")
    func clickjacking() async throws {
        try await HostileFixture.with { hostile in
            let fixture = hostile.fixture
            let request = OAuthFixture.replacing(
                hostile.authorization(of: HostileFixture.web), [("prompt", "consent")])
            let codes = try await fixture.codes([("client_id", "web"), ("client_secret", OAuthFixture.secret)])
            let consent = try await fixture.open(request)
            let device = try await fixture.enter(codes.userCode)
            let question = try await fixture.browser.get("/oauth2/end_session")
            let formPost = try await hostile.authorize(
                OAuthFixture.replacing(request, [("response_mode", "form_post")]))
            let pages = [
                consent, device, question, formPost, try await fixture.browser.get(OAuthFixture.devicePage),
                try await fixture.open([]), try await fixture.browser.get("/oauth2/end_session?client_id=nobody"),
            ]
            for page in pages {
                #expect(page.headers["X-Frame-Options"] == "DENY")
                #expect(page.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
            }
            let decisions = [
                (consent, "/oauth2/authorize", "allow"), (device, OAuthFixture.devicePage, "allow"),
                (question, "/oauth2/end_session", "sign-out"),
            ]
            for (page, path, decision) in decisions {
                let form = PageBrowser.hiddenFields(of: try PageBrowser.form(path, in: page.text).orThrow)
                let fields = form + [("decision", decision)]
                for site in [[("Sec-Fetch-Site", "cross-site")], [("Origin", "https://evil.example")]] {
                    let forged = try await fixture.browser.post(path, fields, site: site)
                    #expect(forged.next?.contains("code=") != true, "\(path)")
                }
            }
            #expect(try await fixture.browser.get("/latch/account").status == 200, "still signed in")
            let waiting = try await fixture.pollError(
                codes, [("client_id", "web"), ("client_secret", OAuthFixture.secret)])
            #expect(waiting == "authorization_pending")
            #expect(try await fixture.decide(consent).next?.contains("code=") == true)
        }
    }
}
