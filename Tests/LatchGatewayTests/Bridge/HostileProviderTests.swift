import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import OpenIDConnect
import ScriptedProvider
import TestSupport
import Testing

@testable import LatchGateway

/// Every case of a code-flow relying party against the gateway's own callback, by the name it has in the OpenID
/// Foundation's tests: after a bad answer nobody is signed in.
@Suite(.timeLimit(.minutes(20))) struct HostileProviderTests {
    @Test("OX-4 a correct provider signs a person in", arguments: ProviderCase.all.filter { !$0.isBad })
    func good(_ row: ProviderCase) async throws {
        try await HostileProviderFixture.with(row) { fixture in
            let first = try #require(try await fixture.appSignIn())
            try fixture.provider.finishFirstSignIn()
            let second = try #require(try await fixture.appSignIn())

            for token in [first, second] {
                #expect(try await fixture.base.me(token).json?["email"]?.string == ScriptedProvider.email)
            }
            #expect(fixture.signIns == 2)
        }
    }

    @Test("OX-4 after an invalid response no app is signed in", arguments: ProviderCase.all.filter(\.isBad))
    func badForApp(_ row: ProviderCase) async throws {
        try await HostileProviderFixture.with(row) { fixture in
            #expect(try await fixture.appSignIn() == nil)

            #expect(fixture.signIns == 0)
            try fixture.expectSilence()
        }
    }

    @Test("OX-2 after an invalid response no browser is signed in", arguments: ProviderCase.all.filter(\.isBad))
    func badForBrowser(_ row: ProviderCase) async throws {
        try await HostileProviderFixture.with(row) { fixture in
            let browser = TestBrowser(fixture.base.http)
            let query = FormURLEncoded.encode([("redirect", "true"), ("next", "/photos")])
            let start = try await browser.send("GET", "/api/auth/oauth/authorize?\(query)")

            if let response = try await fixture.returnToGateway(start, in: browser) {
                #expect(response.status >= 400 && response.headers["Location"] == nil)
            }

            #expect(browser.cookies["latchd_session"] == nil)
            #expect(try await browser.send("GET", "/api/me").status >= 400)
            #expect(fixture.signIns == 0)
            try fixture.expectSilence()
        }
    }
}

extension ProviderCase {
    fileprivate var isBad: Bool { outcome != .signedIn }
}

/// A gateway with a person, and a provider that follows one case's script.
private struct HostileProviderFixture: Sendable {
    let row: ProviderCase
    let provider: ScriptedProvider
    let base: GatewayFixture

    static func with(_ row: ProviderCase, _ body: (HostileProviderFixture) async throws -> Void) async throws {
        try await GatewayFixture.with(row) { base, provider in
            try await body(HostileProviderFixture(row: row, provider: provider, base: base))
        }
    }

    /// How often the audit log says that somebody signed in.
    var signIns: Int { base.lines.audit.count { $0["event"]?.string == "sign-in" } }

    /// The token of an app that goes the whole way; nil when its deep link, or its page, brings an error.
    func appSignIn() async throws -> String? {
        let app = AppSignIn()
        let browser = TestBrowser(base.http)
        let start = try await browser.send("GET", "\(BridgeFixture.authorize)?\(app.query())")
        guard let response = try await returnToGateway(start, in: browser) else { return nil }
        guard let link = response.next else {
            #expect(response.status == 400)
            return nil
        }
        let fields = try FormURLEncoded.decode(String(link.split(separator: "?", maxSplits: 1)[1]))
        #expect(link.hasPrefix(BridgeFixture.redirect + "?") && fields["state"] == app.state.text)
        #expect((fields["code"] == nil) != (fields["error"] == nil))
        guard let code = fields["code"] else { return nil }
        let body: JSONValue = ["code": .string(code), "code_verifier": .string(app.verifier.secret.reveal())]
        return try await base.http.send(
            "POST", "/api/auth/mobile/sso/exchange", headers: [("Content-Type", JSON.mediaType)],
            body: String(decoding: body.encoded(), as: UTF8.self)
        ).token
    }

    /// Brings the provider's answer to the gateway; nil when nobody was sent to the provider.
    func returnToGateway(_ start: Exchange.Response, in browser: TestBrowser) async throws -> Exchange.Response? {
        let target = start.headers["Location"] ?? ""
        guard target.hasPrefix(provider.issuer) else {
            #expect(row.outcome == .refusedBeforehand)
            return nil
        }
        #expect(row.outcome != .refusedBeforehand)
        let fields = try FormURLEncoded.encode(provider.callback(for: target).map { ($0.name, $0.value) })
        guard row.isPosted else { return try await browser.send("GET", "\(BridgeFixture.callback)?\(fields)") }
        return try await browser.send(
            "POST", BridgeFixture.callback, headers: [("Content-Type", FormURLEncoded.mediaType)], body: fields)
    }

    /// UserInfo was asked only where its own answer is the bad one, nothing was followed elsewhere, and no secret of the
    /// provider is in the log.
    func expectSilence() throws {
        let requests = provider.requests
        let isExchanged = row.outcome == .refusedAtExchange || row.outcome == .refusedAtUserInfo
        #expect(requests.contains("/token") == isExchanged, "\(requests)")
        #expect(requests.contains("/userinfo") == (row.outcome == .refusedAtUserInfo), "\(requests)")
        #expect(!requests.contains("/elsewhere"))
        let log = base.lines.text
        for secret in ["code-0123456789", "access-0123456789", ScriptedProvider.clientSecret] {
            #expect(!log.leaks(secret))
        }
    }
}
