import Foundation
import HTTPClient
import HTTPMessages
import ServerMessages
import TestSupport
import Testing

/// The built gateway as Time Tracker's app, its keys' administrator and another server meet it.
@Suite("Time Tracker and signed tokens", .blocking, .timeLimit(.minutes(20)))
struct TimeTrackerSystemTests {
    private func with(
        callback: String = "gateway", algorithm: String = "ES256", _ body: (TimeTrackerFixture) async throws -> Void
    ) async throws {
        let fixture = try await TimeTrackerFixture(callback: callback, algorithm: algorithm)
        try await attempt {
            try await body(fixture)
        } finally: {
            await fixture.close()
        }
    }

    @Test("TT-3 TT-4 TT-6 each gateway completes sign-ins of the other", arguments: ["gateway", "app"])
    func crossGatewaySignIn(_ callback: String) async throws {
        try await with(callback: callback) { fixture in
            for (begin, back, exchange) in [
                (fixture.one, fixture.other, fixture.one), (fixture.other, fixture.one, fixture.one),
                (fixture.one, fixture.one, fixture.other),
            ] {
                let link = try await fixture.deepLink(at: begin, backAt: back)
                let response = try await fixture.exchange(link, at: exchange)
                #expect(response.status == .ok)
                let token = try JSON.decode(TimeTrackerTokenResponse.self, from: response.body)
                for gateway in [fixture.one, fixture.other] {
                    let me = try await fixture.get("/auth/me", token.accessToken, at: gateway)
                    #expect(try JSON.decode(TimeTrackerUser.self, from: me.body) == token.user)
                }
                #expect(try await fixture.exchange(link, at: exchange).status == .badRequest)
            }
            #expect(try await fixture.keyCount(at: fixture.one) == 1)
            #expect(try await fixture.keyCount(at: fixture.other) == 1)
        }
    }

    @Test("RFC 9068 another library verifies the token with only the published keys", arguments: ["ES256", "EdDSA"])
    func otherLibrary(_ algorithm: String) async throws {
        try await with(algorithm: algorithm) { fixture in
            let token = try await fixture.token()

            let good = try await fixture.check(token)
            #expect(good.status == 0, "\(good.errors)")
            let claims = try good.json()
            #expect(claims["email"]?.string == fixture.sandbox.email)
            #expect(claims["iss"]?.string == TimeTrackerFixture.address)

            let middle = token.split(separator: ".")[1]
            let other = token.replacingOccurrences(
                of: middle, with: middle.dropLast() + (middle.hasSuffix("Q") ? "A" : "Q"))
            #expect(try await fixture.check(other).status == 1)
            #expect(try await fixture.check(token, issuer: "http://other").status == 1)
        }
    }

    @Test("keys are listed and replaced by the command, and running gateways use the new ones")
    func keys() async throws {
        try await with { fixture in
            // The gateway makes the first at its start.
            let first = try await fixture.base.latchd("keys", "list", "--json")
            #expect(try first.status == 0 && first.json().array?.count == 1)
            let token = try await fixture.token()

            let rotated = try await fixture.base.latchd("keys", "rotate")
            #expect(rotated.status == 0 && rotated.output.contains("which signs from"), "\(rotated.errors)")
            let list = try await fixture.base.latchd("keys", "list", "--json")
            let states = try list.json().array?.compactMap { $0["state"]?.string }
            #expect(states == ["signing", "announced"])
            try await until { try await fixture.keyCount(at: fixture.one) == 2 }
            try await until { try await fixture.keyCount(at: fixture.other) == 2 }
            #expect(try await fixture.check(token).status == 0)

            let forgotten = try await fixture.base.latchd("keys", "rotate", "--compromised")
            #expect(forgotten.output.contains("which signs from now on"))
            try await until { try await fixture.keyCount(at: fixture.one) == 1 }
            #expect(try await fixture.check(token).status == 1)
            #expect(try await fixture.get("/auth/me", token, at: fixture.one).status == .ok)
            let table = try await fixture.base.latchd("keys", "list")
            #expect(table.output.contains("signing") && !table.output.contains("PRIVATE"))
        }
    }

    @Test("TT-12 a session that is revoked by the command is refused by every gateway")
    func revoked() async throws {
        try await with { fixture in
            let token = try await fixture.token()
            for gateway in [fixture.one, fixture.other] {
                #expect(try await fixture.get("/auth/me", token, at: gateway).status == .ok)
            }
            #expect(try await fixture.base.latchd("sessions", "revoke", "--all").status == 0)
            for gateway in [fixture.one, fixture.other] {
                try await until { try await fixture.get("/auth/me", token, at: gateway).status == .unauthorized }
            }
        }
    }

    /// Returns once `condition` holds; the test's time limit bounds the wait.
    private func until(_ condition: () async throws -> Bool) async throws {
        while try await !condition() { try Task.checkCancellation() }
    }
}
