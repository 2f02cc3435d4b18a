import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import AuthorizationServer
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What the operator and the developers learn about clients that are refused.
@Suite("Refused clients", .timeLimit(.minutes(20)))
struct ClientRefusalTests {
    @Test("a client that does not authenticate is in the audit log, and an unknown one in the log")
    func authentication() async throws {
        try await OAuthFixture.with { fixture in
            let form = [("grant_type", "refresh_token"), ("refresh_token", "x")]
            let assertion = [("client_assertion", "a.b.c"), ("client_assertion_type", "x")]
            let attempts: [([(String, String)], String)] = [
                ([("client_id", "web"), ("client_secret", "a wrong secret")], "wrong-client-secret"),
                ([("client_id", "web")], "missing-client-secret"),
                ([("client_id", "web")] + assertion, "wrong-client-assertion"),
            ]
            for (credentials, reason) in attempts {
                #expect(try await fixture.post("token", form + credentials).json?["error"] == "invalid_client")
                let event = try #require(
                    fixture.gateway.gateway.stores.audit.failures.page(before: nil, limit: 1).first)
                #expect(event.event.reason == reason && event.event.client == "web")
                #expect(event.event.address == "127.0.0.1")
            }
            let missing = try await fixture.post("token", form)
            #expect(missing.json?["error"] == "invalid_client")
            #expect(missing.json?["error_description"]?.string?.hasPrefix("The client_id is missing.") == true)

            let count = fixture.gateway.gateway.stores.audit.failures.page(before: nil, limit: 99).count
            _ = try await fixture.post("token", form + [("client_id", "no\u{202E}body"), ("client_secret", "hush")])
            let text = fixture.gateway.lines.text
            #expect(text.contains(#""client":"nobody","reason":"unknown-client","path":"/oauth2/token""#))
            #expect(fixture.gateway.gateway.stores.audit.failures.page(before: nil, limit: 99).count == count)
            #expect(!text.contains("hush") && !text.contains("a wrong secret"))
        }
    }

    @Test("refusals of invented clients do not hide a wrong secret from the audit log")
    func limitsAreSeparate() async throws {
        try await OAuthFixture.with { fixture in
            let form = [("grant_type", "refresh_token"), ("refresh_token", "x")]
            for number in 0...LineLimit.maximum {
                _ = try await fixture.post("token", form + [("client_id", "invented-\(number)")])
            }
            _ = try await fixture.post("token", form + [("client_id", "web"), ("client_secret", "a wrong secret")])
            let events = fixture.gateway.gateway.stores.audit.failures.page(before: nil, limit: 1)
            #expect(events.first?.event.reason == "wrong-client-secret")
        }
    }

    @Test("RFC 6749 §4.1.2.1 an unknown client, an unregistered address and a missing challenge are in the log")
    func authorization() async throws {
        try await OAuthFixture.with { fixture in
            func page(_ changes: [(String, String?)]) async throws -> Exchange.Response {
                try await fixture.open(OAuthFixture.replacing(fixture.parameters, changes))
            }
            func contains(_ text: String) -> Bool { fixture.gateway.lines.text.contains(text) }

            let unknown = try await page([("client_id", "<b>who</b>" + String(repeating: "o", count: 200))])
            #expect(unknown.text.contains("&lt;b&gt;who&lt;/b&gt;oo") && !unknown.text.contains("<b>who"))
            #expect(!unknown.text.contains(String(repeating: "o", count: 101)))
            #expect(unknown.text.contains(OAuthFixture.appRedirect) && contains(#""reason":"unknown-client""#))

            let address = "https://evil.example/callback"
            let redirect = try await page([("redirect_uri", address + "?code=hush#hush")])
            #expect(redirect.text.contains(address) && redirect.text.contains("<dd>app</dd>"))
            #expect(contains(#""client":"app","reason":"unregistered-redirect","redirect":"\#(address)","path""#))
            _ = try await page([("redirect_uri", "https://ada:hush@evil.example/")])
            #expect(try await page([("redirect_uri", nil)]).text.contains("<dd>missing</dd>"))
            _ = try await page([("code_challenge", nil)])
            #expect(contains("A code_challenge of 43 characters"))
            _ = try await fixture.post(
                "par", OAuthFixture.replacing(fixture.parameters, [("redirect_uri", "https://pushed.example/")]))
            #expect(contains(#""redirect":"https://pushed.example/","path":"/oauth2/par""#))
            _ = try await page([("prompt", "none")])
            #expect(!contains("The person must sign in."), "no mistake of the client")
            #expect(!contains("hush"))
        }
    }

    @Test("a flood of refusals does not fill the log, and the number of those that are missing is logged")
    func flood() {
        let (limit, start) = (LineLimit(), Date(timeIntervalSince1970: 1_700_000_000))
        func address(_ number: Int) -> AddressKey { AddressKey(IPAddress("192.0.2.\(number)")) }
        for number in 0..<1_000 {
            let admitted = limit.admit(from: address(number % 200), at: start + 0.01 * Double(number))
            #expect((admitted == 0) == (number < LineLimit.maximum))
        }
        #expect(limit.admit(from: address(1), at: start + 59.9) == nil)
        #expect(limit.admit(from: address(1), at: start + 60) == 1_001 - LineLimit.maximum)
        #expect(limit.admit(from: address(1), at: start + 61) == 0)
        #expect(limit.admit(from: address(1), at: start - 3_600) == 0, "the clock was set back")
    }

    @Test(
        "the refusals of one address or network do not use up the log lines of others",
        arguments: [("192.0.2.1", 7), ("2001:db8:1:2::1", 7), ("2001:db8:1:1{}::1", 15), ("2001:db8:1:{}00::1", 30)])
    func share(busy: String, count: Int) {
        let (limit, now) = (LineLimit(), Date(timeIntervalSince1970: 1_700_000_000))
        let admitted = (0..<1_000).filter { number in
            let text = busy.replacing("{}", with: String(16 + number % 200, radix: 16))
            return limit.admit(from: AddressKey(IPAddress(text)), at: now) != nil
        }
        #expect(admitted.count == count)
        #expect(limit.admit(from: AddressKey(IPAddress("198.51.100.2")), at: now) == 0)
    }
}
