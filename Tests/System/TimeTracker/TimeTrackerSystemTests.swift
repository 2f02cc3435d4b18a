import Foundation
import HTTPClient
import HTTPMessages
import ServerMessages
import TestSupport
import Testing

/// The built gateway as Time Tracker's app, its keys' administrator and another server meet it.
@Suite("Time Tracker and its tokens", .timeLimit(.minutes(20)))
struct TimeTrackerSystemTests {
    private func with(
        callback: String = "gateway", algorithm: String = "ES256", _ body: (TimeTrackerHouse) async throws -> Void
    ) async throws {
        let house = try await TimeTrackerHouse(callback: callback, algorithm: algorithm)
        try await attempt {
            try await body(house)
        } finally: {
            await house.close()
        }
    }

    @Test("TT-3 TT-4 TT-6 each gateway completes what the other began", arguments: ["gateway", "app"])
    func eachOther(_ callback: String) async throws {
        try await with(callback: callback) { house in
            for (begin, back, exchange) in [
                (house.one, house.other, house.one), (house.other, house.one, house.one),
                (house.one, house.one, house.other),
            ] {
                let link = try await house.deepLink(at: begin, backAt: back)
                let answer = try await house.exchange(link, at: exchange)
                #expect(answer.status == .ok)
                let token = try JSON.decode(TimeTrackerTokenResponse.self, from: answer.body)
                for gateway in [house.one, house.other] {
                    let me = try await house.get("/auth/me", token.accessToken, at: gateway)
                    #expect(try JSON.decode(TimeTrackerUser.self, from: me.body) == token.user)
                }
                #expect(try await house.exchange(link, at: exchange).status == .badRequest)
            }
            #expect(try await house.keyCount(at: house.one) == 1)
            #expect(try await house.keyCount(at: house.other) == 1)
        }
    }

    @Test("RFC 9068 another library believes the token, by the published keys alone", arguments: ["ES256", "EdDSA"])
    func otherLibrary(_ algorithm: String) async throws {
        try await with(algorithm: algorithm) { house in
            let token = try await house.token()

            let good = try await house.check(token)
            #expect(good.status == 0, "\(good.errors)")
            let claims = try good.json()
            #expect(claims["email"]?.string == house.sandbox.email)
            #expect(claims["iss"]?.string == TimeTrackerHouse.address)

            let middle = token.split(separator: ".")[1]
            let other = token.replacingOccurrences(
                of: middle, with: middle.dropLast() + (middle.hasSuffix("Q") ? "A" : "Q"))
            #expect(try await house.check(other).status == 1)
            #expect(try await house.check(token, issuer: "http://other").status == 1)
        }
    }

    @Test("keys are listed and replaced by the command, and running gateways follow")
    func keys() async throws {
        try await with { house in
            // The gateway makes the first at its start.
            let first = try await house.house.latchd("keys", "list", "--json")
            #expect(try first.status == 0 && first.json().array?.count == 1)
            let token = try await house.token()

            let rotated = try await house.house.latchd("keys", "rotate")
            #expect(rotated.status == 0 && rotated.output.contains("which signs from"), "\(rotated.errors)")
            let list = try await house.house.latchd("keys", "list", "--json")
            let states = try list.json().array?.compactMap { $0["state"]?.string }
            #expect(states == ["signing", "announced"])
            try await until { try await house.keyCount(at: house.one) == 2 }
            try await until { try await house.keyCount(at: house.other) == 2 }
            #expect(try await house.check(token).status == 0)

            let forgotten = try await house.house.latchd("keys", "rotate", "--compromised")
            #expect(forgotten.output.contains("which signs from now on"))
            try await until { try await house.keyCount(at: house.one) == 1 }
            #expect(try await house.check(token).status == 1)
            #expect(try await house.get("/auth/me", token, at: house.one).status == .ok)
            let table = try await house.house.latchd("keys", "list")
            #expect(table.output.contains("signing") && !table.output.contains("PRIVATE"))
        }
    }

    @Test("TT-12 a session that is revoked by the command is refused by every gateway")
    func revoked() async throws {
        try await with { house in
            let token = try await house.token()
            for gateway in [house.one, house.other] {
                #expect(try await house.get("/auth/me", token, at: gateway).status == .ok)
            }
            #expect(try await house.house.latchd("sessions", "revoke", "--all").status == 0)
            for gateway in [house.one, house.other] {
                try await until { try await house.get("/auth/me", token, at: gateway).status == .unauthorized }
            }
        }
    }

    /// Returns once `condition` holds; the test's time limit bounds the wait.
    private func until(_ condition: () async throws -> Bool) async throws {
        while try await !condition() { try Task.checkCancellation() }
    }
}
