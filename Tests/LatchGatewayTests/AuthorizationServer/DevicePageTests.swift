import Crypto
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// The page on which a person allows a device.
@Suite("Page for devices", .timeLimit(.minutes(20)))
struct DevicePageTests {
    private static let unknown = "BCDF-GHJK"

    @Test("RFC 8628 §5.1 guesses lock out the person and the address, but not the person's password")
    func guesses() async throws {
        try await OAuthFixture.withDevices({
            $0.accountLimit = AttemptLimit(attempts: 3, window: .seconds(900))
            $0.addressLimit = AttemptLimit(attempts: 6, window: .seconds(900))
        }) { fixture in
            let codes = try await fixture.codes()
            for _ in 0..<3 {
                #expect(try await fixture.enter(codes.userCode).status == 200, "a valid code clears no failure")
                #expect(try await fixture.enter(Self.unknown).status == 404)
            }
            let refused = try await fixture.enter(codes.userCode)
            #expect(refused.status == 429 && refused.headers["Retry-After"] == "30")
            #expect(try await fixture.pollError(codes) == "authorization_pending")

            // Ada's password is not locked, and another person is counted separately, from the same address.
            #expect(try await fixture.gateway.login().status == 200)
            try await fixture.gateway.addPerson("eve@example.org")
            let eve = PageBrowser(fixture.gateway)
            _ = try await eve.signIn("eve@example.org")
            for _ in 0..<3 { #expect(try await fixture.enter(Self.unknown, in: eve).status == 404) }
            #expect(try await fixture.gateway.login().status == 429, "the address is locked out")
            let failures = fixture.gateway.lines.audit.filter { $0["reason"] == "unknown-user-code" }
            #expect(failures.count == 6)
        }
    }

    @Test("RFC 8628 §5.1 an unknown, a used, a denied and an expired code have the same page")
    func samePage() async throws {
        try await OAuthFixture.withDevices({ $0.accountLimit.attempts = 100 }) { fixture in
            let (used, denied, old) = (try await fixture.codes(), try await fixture.codes(), try await fixture.codes())
            _ = try await fixture.decide(onDevice: used.userCode)
            _ = try await fixture.poll(used)
            _ = try await fixture.decide(onDevice: denied.userCode, "deny")
            let allowed = try await fixture.codes()
            _ = try await fixture.decide(onDevice: allowed.userCode)
            fixture.gateway.clock.advance(600)
            let typed = [
                Self.unknown, used.userCode, denied.userCode, allowed.userCode, old.userCode, "", "AEIO-UAEI", "BCDF",
                old.userCode + "B", String(repeating: "B", count: 5_000), "ＢＣＤＦＧＨＪＫ",
            ]
            var pages: Set<String> = []
            for code in typed {
                let page = try await fixture.enter(code)
                #expect(page.status == 404, "\(code.prefix(20))")
                pages.insert(page.text)
            }
            #expect(pages.count == 1)
        }
    }

    @Test("RFC 8628 §3.3.1 the address with the code only fills the code in, after a sign-in")
    func completeAddress() async throws {
        try await OAuthFixture.withDevices { fixture in
            let codes = try await fixture.codes()
            let path = "\(OAuthFixture.devicePage)?user_code=\(codes.userCode)"
            let first = try await fixture.browser.get(path)
            let location = try #require(first.next)
            #expect(first.status == 303 && location.hasPrefix("/latch/sign-in?return="))
            let signedIn = try await fixture.browser.submit(
                "/latch/sign-in", on: location,
                [("username", GatewayFixture.email), ("password", GatewayFixture.password)])
            #expect(signedIn.next == path)
            let page = try await fixture.browser.get(path)
            #expect(page.text.contains("value=\"\(codes.userCode)\"") && !page.text.contains("Example TV"))
            #expect(try await fixture.pollError(codes) == "authorization_pending")
            let injected = try await fixture.browser.get("\(OAuthFixture.devicePage)?user_code=%22%3E%3Cscript%3E")
            #expect(!injected.text.contains("script"))
        }
    }

    @Test("RFC 8628 §5.4 a decision of another site, another session or nobody is refused")
    func forged() async throws {
        try await OAuthFixture.withDevices { fixture in
            let codes = try await fixture.codes()
            _ = try await fixture.enter(codes.userCode)
            let other = PageBrowser(fixture.gateway)
            _ = try await other.signIn()
            let foreign = try await other.token(on: "/latch/account")
            let own = try await fixture.browser.token(on: "/latch/account")
            let decision = [("user_code", codes.userCode), ("decision", "allow")]
            let path = OAuthFixture.devicePage
            for token in [nil, "", foreign] {
                let fields = decision + (token.map { [(FormTokens.field, $0)] } ?? [])
                #expect(try await fixture.browser.post(path, fields).status == 403)
            }
            for site in ["cross-site", "same-site"] {
                let sent = try await fixture.browser.post(
                    path, decision + [(FormTokens.field, own)], site: [("Sec-Fetch-Site", site)])
                #expect(sent.status == 403)
            }
            let nobody = try await PageBrowser(fixture.gateway).post(path, decision + [(FormTokens.field, own)])
            #expect(nobody.status == 303 && nobody.next?.contains("/sign-in") == true)
            #expect(try await fixture.pollError(codes) == "authorization_pending")
        }
    }

    @Test("what a device calls itself is shown as text, and is short")
    func deviceName() async throws {
        try await OAuthFixture.withDevices { fixture in
            let name = "<b>Bank</b>\u{202E}" + String(repeating: "x", count: 500)
            let response = try await fixture.post(
                "device_authorization", [("client_id", "tv")], headers: [("User-Agent", name)])
            let code = try #require(response.json?["user_code"]?.string)
            let page = try await fixture.enter(code).text
            #expect(page.contains("&lt;b&gt;Bank") && !page.contains("<b>") && !page.contains("\u{202E}"))
            #expect(!page.contains(String(repeating: "x", count: 100)))
        }
    }
}
