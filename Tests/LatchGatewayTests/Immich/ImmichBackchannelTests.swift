import Crypto
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Signing out at the provider, which tells the gateway so.
@Suite(.timeLimit(.minutes(20)))
struct ImmichBackchannelTests {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    private func claims(_ fixture: BridgeFixture, _ change: [String: JSONValue?] = [:]) throws -> JSONValue {
        let now = fixture.base.clock.now.timeIntervalSince1970
        var members: [String: JSONValue?] = [
            "iss": .string(try fixture.google.issuer), "aud": .string(SmallProvider.clientID), "iat": .number(now),
            "exp": .number(now + 120), "jti": "one", "sub": "ada-1", "events": .object([.init(Self.event, [:])]),
        ]
        for (name, value) in change { members[name] = .some(value) }
        return .object(members.compactMap { name, value in value.map { .init(name, $0) } })
    }

    private func send(_ token: String, _ fixture: BridgeFixture) async throws -> Exchange.Response {
        try await fixture.base.http.send(
            "POST", "/immich/api/oauth/backchannel-logout", headers: [("Content-Type", FormURLEncoded.mediaType)],
            body: FormURLEncoded.encode([("logout_token", token)]))
    }

    private func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (BridgeFixture, String) async throws -> Void
    ) async throws {
        try await BridgeFixture.withImmich(["google"], change) { fixture in
            try await fixture.base.addPerson()
            let app = AppSignIn()
            let fields = try await fixture.deepLink(app)
            let token = try (try await fixture.exchange(fields["code"], app.verifier).token).orThrow
            try await body(fixture, token)
        }
    }

    @Test("a signed-in sender of refused tokens is limited and logged as any other")
    func signedInSender() async throws {
        try await with({ $0.requestRates.address = .perMinute(5) }) { fixture, token in
            let refused = "A sign-out by an identity provider was refused."
            for path in ["/immich/api/oauth/backchannel-logout", "/api/auth/oauth/backchannel-logout"] {
                var statuses: [Int] = []
                for _ in 0..<12 {
                    let response = try await fixture.base.http.send(
                        "POST", path,
                        headers: [
                            ("Content-Type", FormURLEncoded.mediaType), ("Authorization", "Bearer \(token)"),
                        ], body: FormURLEncoded.encode([("logout_token", "x")]))
                    statuses.append(response.status)
                }
                #expect(statuses.count { $0 == 400 } <= 5 && statuses.last == 503, "\(path): \(statuses)")
            }
            #expect(
                fixture.base.lines.text.components(separatedBy: refused).count - 1 <= 5)
        }
    }

    @Test("a provider's sign-out ends every session of the person in every dialect")
    func ends() async throws {
        try await with { fixture, token in
            let other = try await fixture.base.token()
            let response = try await send(try fixture.google.sign(try claims(fixture)), fixture)
            #expect(response.status == 200)
            #expect(response.headers["Cache-Control"] == "no-store")
            for token in [token, other] { #expect(try await fixture.base.me(token).status == 403) }
            let again = try await send(try fixture.google.sign(try claims(fixture)), fixture)
            #expect(again.status == 200)
            let unknownSubject = try await send(
                try fixture.google.sign(try claims(fixture, ["sub": "nobody"])), fixture)
            #expect(unknownSubject.status == 200)
        }
    }

    @Test("a repeated sign-out token ends no session")
    func endsOnce() async throws {
        try await with { fixture, _ in
            let text = try fixture.google.sign(try claims(fixture))
            #expect(try await send(text, fixture).status == 200)
            let later = try await fixture.base.token()
            #expect(try await send(text, fixture).status == 200)
            #expect(try await fixture.base.me(later).status == 200)
            #expect(try await send(try fixture.google.sign(try claims(fixture, ["jti": "two"])), fixture).status == 200)
            #expect(try await fixture.base.me(later).status == 403)
        }
    }

    @Test("a sign-out token can be sent again if the provider's keys could not be fetched")
    func acceptsRetryAfterKeyFailure() async throws {
        try await BridgeFixture.withImmich { fixture in
            try await fixture.google.stop()
            let response = try await send(try fixture.google.sign(try claims(fixture)), fixture)
            #expect(response.status == 503)
            #expect(response.headers["Retry-After"] == "5")
        }
    }

    @Test(
        "unknown tokens count against the address, a provider's do not; above the limit none is parsed")
    func limitsRefusals() async throws {
        try await with({ $0.requestRates.address = .perMinute(8) }) { fixture, _ in
            for number in 0..<12 {
                let token = try fixture.google.sign(try claims(fixture, ["jti": .string("good \(number)")]))
                #expect(try await send(token, fixture).status == 200)
            }
            // The sign-in before this had its share too.
            var last = try await send("no token", fixture)
            for _ in 0..<8 { last = try await send("no token", fixture) }
            #expect(last.status == 429)
            #expect(last.headers["Retry-After"] != nil)
            let token = try fixture.google.sign(try claims(fixture, ["jti": "last"]))
            #expect(try await send(token, fixture).status == 429)
            fixture.base.clock.advance(60)
            #expect(try await send(token, fixture).status == 200)
        }
    }

    @Test(
        "an invalid sign-out token ends no session",
        arguments: ["aud", "iss", "no-event", "event", "nonce", "nobody", "old", "future", "no-jti", "alg-none", "key"])
    func refuses(_ fault: String) async throws {
        try await with { fixture, token in
            let now = fixture.base.clock.now.timeIntervalSince1970
            let changes: [String: [String: JSONValue?]] = [
                "aud": ["aud": "another"], "iss": ["iss": "http://127.0.0.1:1"], "no-event": ["events": nil],
                "event": ["events": ["http://schemas.openid.net/event/other": [:]]], "nonce": ["nonce": "n"],
                "nobody": ["sub": nil], "old": ["exp": .number(now - 600), "iat": .number(now - 700)],
                "future": ["iat": .number(now + 4_000)], "no-jti": ["jti": nil],
            ]
            let claims = try claims(fixture, changes[fault] ?? [:])
            var text = try fixture.google.sign(claims)
            if fault == "alg-none" {
                text = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + Base64URL.encode(claims.encoded()) + "."
            } else if fault == "key" {
                text = try await SmallProvider.start(now: { Date() }).signOnce(claims)
            }
            let response = try await send(text, fixture)
            #expect(response.status == 400)
            #expect(try await fixture.base.me(token).status == 200)
        }
    }
}

extension SmallProvider {
    /// Signs claims by the key of a provider that stops then.
    fileprivate func signOnce(_ claims: JSONValue) async throws -> String {
        let text = try sign(claims)
        await stop()
        return text
    }
}
