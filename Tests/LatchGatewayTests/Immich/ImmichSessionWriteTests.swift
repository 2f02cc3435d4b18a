import FoundationEssentials
import HTTPMessages
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
                ("PUT", "/users/me", ["email": "ada@example.org"]),
                ("POST", "/sessions", [:]),
                ("POST", "/auth/pin-code", ["pinCode": "135790"]),
                ("PUT", "/auth/pin-code", ["pinCode": "135790", "newPinCode": "246800"]),
                ("POST", "/auth/session/unlock", ["pinCode": "246800"]),
                ("POST", "/auth/session/lock", nil),
                ("DELETE", "/auth/pin-code", ["pinCode": "246800"]),
                ("PUT", other, ["isPendingSyncReset": true]),
                ("DELETE", other, nil),
                ("DELETE", "/sessions", nil),
                (
                    "POST", "/auth/change-password",
                    ["password": .string(GatewayFixture.password), "newPassword": "another horse 8"]
                ),
            ]
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
