import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// Requests of the Relate Mail dialect whose session or key ended after they were authenticated.
@Suite("Changes by sessions and keys of Relate Mail that have just ended", .timeLimit(.minutes(20)))
struct RelateMailKeyWriteTests {
    private typealias Request = (method: String, path: String, body: JSONValue?)

    /// The requests that change something. The last one revokes a key.
    private static func requests(revoking key: String) -> [Request] {
        [
            ("PUT", "/api/profile", ["displayName": "Mal"]),
            ("POST", RelateMailFixture.credentials, ["name": "a key"]),
            (
                "POST", RelateMailFixture.credentials + "/mobile",
                ["deviceName": "a phone", "platform": "ios"]
            ),
            ("DELETE", RelateMailFixture.credentials + "/" + key, nil),
        ]
    }

    /// Sends a request, which must be refused and change nothing.
    private static func refused(
        _ request: Request, _ authorization: String, _ fixture: RelateMailFixture
    ) async throws {
        let stores = fixture.base.gateway.stores
        let before = try await stores.content()
        let response = try await fixture.send(request.method, request.path, authorization, request.body)
        #expect(response.status == 401, "\(request)")
        let after = try await stores.content()
        #expect(after == before, "\(request)")
    }

    private static func accepted(
        _ request: Request, _ authorization: String, _ fixture: RelateMailFixture
    ) async throws {
        let stores = fixture.base.gateway.stores
        let before = try await stores.content()
        #expect(try await fixture.send(request.method, request.path, authorization, request.body).status < 300)
        let after = try await stores.content()
        #expect(after != before, "\(request)")
    }

    @Test("no request has an effect after the session ended")
    func sessions() async throws {
        try await RelateMailFixture.with { fixture in
            let stores = fixture.base.gateway.stores
            let ada = try await fixture.base.addPerson()
            let key = try await stores.apiKeys.create(for: ada, name: "k", scopes: ["app"], maximum: 9).listed.id
            let token = try await fixture.base.token()
            for request in Self.requests(revoking: key.uuidString.lowercased()) {
                for ending in SessionEnding.ofPerson {
                    try await ending.during(token, of: ada.id, in: stores) { () async throws in
                        try await Self.refused(request, "Bearer \(token)", fixture)
                    }
                }
                try await Self.accepted(request, "Bearer \(token)", fixture)
            }
        }
    }

    @Test("no request has an effect after the key was revoked or its person was disabled")
    func keys() async throws {
        try await RelateMailFixture.with { fixture in
            let stores = fixture.base.gateway.stores
            let ada = try await fixture.base.addPerson()
            let key = try await stores.apiKeys.create(for: ada, name: "k", scopes: ["app"], maximum: 9)
            let other = try await stores.apiKeys.create(for: ada, name: "l", scopes: ["app"], maximum: 9).listed.id
            let token = try await fixture.base.token()
            let authorization = "ApiKey \(key.key.reveal())"
            #expect(try await fixture.profile(authorization).status == 200)
            for request in Self.requests(revoking: other.uuidString.lowercased()) {
                try await SessionEnding.duringRevocation(of: key.listed.id, in: stores) { () async throws in
                    try await Self.refused(request, authorization, fixture)
                }
                try await SessionEnding.disabled.during(token, of: ada.id, in: stores) { () async throws in
                    try await Self.refused(request, authorization, fixture)
                }
                try await Self.accepted(request, authorization, fixture)
            }
        }
    }
}
