import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// Requests of the Immich dialect whose session ended after they were authenticated.
@Suite("Changes by sessions of Immich that have just ended", .timeLimit(.minutes(20)))
struct ImmichSessionWriteTests {
    /// Routes that sign in or out, lock or only read, and those of `ImmichOAuthTests`.
    private static let others: Set = [
        "POST /auth/login", "POST /auth/logout", "POST /auth/admin-sign-up", "POST /auth/validateToken",
        "POST /download/info", "POST /download/archive", "POST /search/metadata", "POST /search/smart",
        "POST /oauth/authorize", "POST /oauth/callback", "POST /oauth/link", "POST /oauth/unlink",
        "POST /oauth/backchannel-logout", "POST /sessions/{}/lock",
    ]

    @Test("no request has an effect after the session ended")
    func changes() async throws {
        try await ImmichFixture.with({
            $0.immich.allowsEmailChange = true
            $0.requestRates.writes = .perMinute(10_000)
        }) { fixture in
            let (stores, ada) = (fixture.base.gateway.stores, try await fixture.person())
            _ = try await fixture.token()
            let other = "/sessions/" + (try await fixture.session()).uuid.uuidString.lowercased()
            let token = try await fixture.token()
            let requests: [(method: String, path: String, body: JSONValue?)] = [
                ("PUT", "/users/me", ["name": "Mal"]),
                ("PUT", "/users/me", ["email": "mal@example.org"]),
                ("PATCH", "/users/me", ["email": "ada@example.org"]),
                ("POST", "/sessions", [:]),
                ("POST", "/auth/pin-code", ["pinCode": "135790"]),
                ("PUT", "/auth/pin-code", ["pinCode": "135790", "newPinCode": "246800"]),
                ("POST", "/auth/session/unlock", ["pinCode": "246800"]),
                ("POST", "/auth/session/lock", nil),
                ("POST", "/auth/pin-code/verify", ["pinCode": "246800"]),
                ("DELETE", "/auth/pin-code", ["pinCode": "246800"]),
                ("PUT", other, ["isPendingSyncReset": true]),
                ("DELETE", other, nil),
                ("DELETE", "/sessions", nil),
                (
                    "POST", "/auth/change-password",
                    ["password": .string(GatewayFixture.password), "newPassword": "another horse 8"]
                ),
                (
                    "PUT", "/auth/change-password",
                    ["password": "another horse 8", "newPassword": "a third horse 9"]
                ),
            ]
            let prefix = "/immich/api"
            let untested = fixture.base.gateway.router.routes.filter { route in
                guard route.method != .get, route.method != .head, route.pattern.hasPrefix(prefix + "/") else {
                    return false
                }
                return !Self.others.contains("\(route.method.rawValue) \(route.pattern.dropFirst(prefix.count))")
                    && !requests.contains { $0.method == route.method.rawValue && route.matches(prefix + $0.path) }
            }
            #expect(untested == [])
            for request in requests {
                for ending in SessionEnding.ofPerson {
                    try await ending.during(token, of: ada.id, in: stores) { () async throws in
                        let before = try await stores.content()
                        let response = try await fixture.send(request.method, request.path, token, request.body)
                        #expect(response.status == 401, "\(request) \(ending)")
                        let after = try await stores.content()
                        #expect(after == before, "\(request) \(ending)")
                    }
                }
                let before = try await stores.content()
                let response = try await fixture.send(request.method, request.path, token, request.body)
                #expect(response.status < 300, "\(request)")
                let after = try await stores.content()
                #expect(after != before, "\(request)")
            }
        }
    }
}
