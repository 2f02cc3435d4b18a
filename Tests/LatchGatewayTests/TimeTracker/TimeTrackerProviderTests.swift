import Crypto
import FoundationEssentials
import HTTPMessages
import OpenIDConnect
import ScriptedProvider
import ServerMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayDialects
@testable import LatchGateway

/// Every case of a code-flow relying party against sign-in as Time Tracker has it: after a bad answer nobody is signed in.
@Suite("Hostile providers and Time Tracker's apps", .timeLimit(.minutes(20)))
struct TimeTrackerProviderTests {
    @Test("TT-4 if the provider redirects to the gateway", arguments: ProviderCase.all)
    func gateway(_ row: ProviderCase) async throws {
        try await check(row, .gateway)
    }

    /// What is wrong with the callback itself an app that knows code and state alone does not hand on.
    @Test(
        "TT-4 if the provider redirects to the app",
        arguments: ProviderCase.all.filter { !$0.isPosted && $0.outcome != .refusedAtCallback })
    func app(_ row: ProviderCase) async throws {
        try await check(row, .app)
    }

    private func check(_ row: ProviderCase, _ way: TimeTrackerSettings.Callback) async throws {
        let change: (inout GatewaySettings) -> Void = {
            $0.timeTracker.isEnabled = true
            $0.timeTracker.callback = way
            $0.publicURL = "https://latch.example"
        }
        try await GatewayFixture.with(row, change) { fixture, provider in
            let token = try await signIn(row, provider, fixture)
            if row.outcome == .signedIn {
                try provider.finishFirstSignIn()
                let second = try await signIn(row, provider, fixture)
                #expect(token != nil && second != nil, "\(fixture.lines.text)")
            } else {
                #expect(token == nil)
                #expect(!fixture.lines.audit.contains { $0["event"]?.string == "sign-in" })
                #expect(!provider.requests.contains("/elsewhere"))
            }
            let log = fixture.lines.text
            for secret in ["code-0123456789", "access-0123456789", ScriptedProvider.clientSecret] {
                #expect(!log.leaks(secret))
            }
        }
    }

    /// The token of an app that goes the whole way; nil when it gets none.
    private func signIn(_ row: ProviderCase, _ provider: ScriptedProvider, _ fixture: GatewayFixture) async throws
        -> String?
    {
        let browser = TestBrowser(fixture.http)
        let start = try await browser.send("GET", "/auth/login?redirect_uri=\(TimeTrackerFixture.redirect)")
        let target = start.headers["Location"] ?? ""
        guard target.hasPrefix(provider.issuer) else {
            #expect(row.outcome == .refusedBeforehand && start.status >= 500)
            return nil
        }
        var fields = try provider.callback(for: target)
        if target.contains("redirect_uri=https") {
            let form = FormURLEncoded.encode(fields.map { ($0.name, $0.value) })
            let response =
                row.isPosted
                ? try await browser.send(
                    "POST", "/auth/callback", headers: [("Content-Type", FormURLEncoded.mediaType)], body: form)
                : try await browser.send("GET", "/auth/callback?\(form)")
            guard let link = response.next else {
                #expect(response.status == 400)
                return nil
            }
            fields = try FormURLEncoded.decode(String(link.split(separator: "?", maxSplits: 1)[1]))
            guard fields["code"] != nil else { return nil }
        }
        let body = TimeTrackerTokenRequest(
            code: fields["code"] ?? "", state: fields["state"] ?? "", redirectURI: TimeTrackerFixture.redirect)
        let response = try await fixture.http.send(
            "POST", "/auth/token", headers: [("Content-Type", JSON.mediaType)],
            body: String(decoding: body.json.encoded(), as: UTF8.self))
        #expect([200, 400, 403, 502, 503].contains(response.status), "\(response.status)")
        for secret in ["code-0123456789", "access-0123456789", ScriptedProvider.clientSecret] {
            #expect(!response.text.leaks(secret))
        }
        return response.token
    }
}
