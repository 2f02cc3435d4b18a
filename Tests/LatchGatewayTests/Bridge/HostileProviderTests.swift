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
    @Test("OX-4 a provider that does right signs a person in", arguments: ProviderCase.all.filter { !$0.isBad })
    func good(_ row: ProviderCase) async throws {
        try await HostileBench.with(row) { bench in
            let first = try #require(try await bench.appSignIn())
            try bench.provider.finishFirstSignIn()
            let second = try #require(try await bench.appSignIn())

            for token in [first, second] {
                #expect(try await bench.bench.me(token).json?["email"]?.string == ScriptedProvider.email)
            }
            #expect(bench.signIns == 2)
        }
    }

    @Test("OX-4 after a bad answer no app is signed in", arguments: ProviderCase.all.filter(\.isBad))
    func badForApp(_ row: ProviderCase) async throws {
        try await HostileBench.with(row) { bench in
            #expect(try await bench.appSignIn() == nil)

            #expect(bench.signIns == 0)
            try bench.expectSilence()
        }
    }

    @Test("OX-2 after a bad answer no browser is signed in", arguments: ProviderCase.all.filter(\.isBad))
    func badForBrowser(_ row: ProviderCase) async throws {
        try await HostileBench.with(row) { bench in
            let browser = TestBrowser(bench.bench.http)
            let query = FormURLEncoded.encode([("redirect", "true"), ("next", "/photos")])
            let begun = try await browser.send("GET", "/api/auth/oauth/authorize?\(query)")

            if let answer = try await bench.comeBack(begun, in: browser) {
                #expect(answer.status >= 400 && answer.headers["Location"] == nil)
            }

            #expect(browser.cookies["latchd_session"] == nil)
            #expect(try await browser.send("GET", "/api/me").status >= 400)
            #expect(bench.signIns == 0)
            try bench.expectSilence()
        }
    }
}

extension ProviderCase {
    fileprivate var isBad: Bool { outcome != .signedIn }
}

/// A gateway with a person, and a provider that follows one case's script.
private struct HostileBench: Sendable {
    let row: ProviderCase
    let provider: ScriptedProvider
    let bench: Bench

    static func with(_ row: ProviderCase, _ body: (HostileBench) async throws -> Void) async throws {
        try await Bench.with(row) { bench, provider in
            try await body(HostileBench(row: row, provider: provider, bench: bench))
        }
    }

    /// How often the audit log says that somebody signed in.
    var signIns: Int { bench.lines.audit.count { $0["event"]?.string == "sign-in" } }

    /// The token of an app that goes the whole way; nil when its deep link, or its page, brings an error.
    func appSignIn() async throws -> String? {
        let app = AppSignIn()
        let browser = TestBrowser(bench.http)
        let begun = try await browser.send("GET", "\(BridgeBench.authorize)?\(app.query())")
        guard let answer = try await comeBack(begun, in: browser) else { return nil }
        guard let link = answer.headers["Location"] else {
            #expect(answer.status == 400)
            return nil
        }
        let fields = try FormURLEncoded.decode(String(link.split(separator: "?", maxSplits: 1)[1]))
        #expect(link.hasPrefix(BridgeBench.redirect + "?") && fields["state"] == app.state.text)
        #expect((fields["code"] == nil) != (fields["error"] == nil))
        guard let code = fields["code"] else { return nil }
        let body: JSONValue = ["code": .string(code), "code_verifier": .string(app.verifier.secret.reveal())]
        return try await bench.http.send(
            "POST", "/api/auth/mobile/sso/exchange", headers: [("Content-Type", JSON.mediaType)],
            body: String(decoding: body.encoded(), as: UTF8.self)
        ).token
    }

    /// Brings the provider's answer to the gateway; nil when nobody was sent to the provider.
    func comeBack(_ begun: Exchange.Answer, in browser: TestBrowser) async throws -> Exchange.Answer? {
        let target = begun.headers["Location"] ?? ""
        guard target.hasPrefix(provider.issuer) else {
            #expect(row.outcome == .refusedBeforehand)
            return nil
        }
        #expect(row.outcome != .refusedBeforehand)
        let fields = try FormURLEncoded.encode(provider.callback(for: target).map { ($0.name, $0.value) })
        guard row.isPosted else { return try await browser.send("GET", "\(BridgeBench.callback)?\(fields)") }
        return try await browser.send(
            "POST", BridgeBench.callback, headers: [("Content-Type", FormURLEncoded.mediaType)], body: fields)
    }

    /// UserInfo was asked only where its own answer is the bad one, nothing was followed elsewhere, and no secret of the
    /// provider is in the log.
    func expectSilence() throws {
        let requests = provider.requests
        let isExchanged = row.outcome == .refusedAtExchange || row.outcome == .refusedAtUserInfo
        #expect(requests.contains("/token") == isExchanged, "\(requests)")
        #expect(requests.contains("/userinfo") == (row.outcome == .refusedAtUserInfo), "\(requests)")
        #expect(!requests.contains("/elsewhere"))
        let log = bench.lines.text
        for secret in ["code-0123456789", "access-0123456789", ScriptedProvider.clientSecret] {
            #expect(!log.leaks(secret))
        }
    }
}
