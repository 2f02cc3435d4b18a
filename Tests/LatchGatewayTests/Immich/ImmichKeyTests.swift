import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What a program may do that brings its token as a key.
@Suite(.timeLimit(.minutes(20)))
struct ImmichKeyTests {
    @Test("IM-9 a key can read, but cannot set, change or remove a PIN", arguments: ["POST", "PUT", "DELETE"])
    func setsNoPIN(_ method: String) async throws {
        try await ImmichFixture.with { fixture in
            let key = [("x-api-key", try await fixture.token())]
            let body: JSONValue = [
                "pinCode": "123456", "newPinCode": "654321", "password": .string(GatewayFixture.password),
            ]
            let response = try await fixture.send(method, "/auth/pin-code", nil, body, headers: key)
            #expect(response.status == 403)
            let verb = ["POST": "create", "PUT": "update", "DELETE": "delete"][method] ?? ""
            #expect(response.refusal == "Missing required permission: pinCode.\(verb)")
            #expect(try await fixture.base.gateway.stores.pins.isSet(try await fixture.person().id) == false)
            #expect(try await fixture.send("GET", "/users/me", headers: key).status == 200)
        }
    }

    @Test(
        "IM-9 a key cannot change the account",
        arguments: [
            ("POST", "/auth/change-password"), ("PUT", "/auth/change-password"), ("PUT", "/users/me"),
            ("PATCH", "/users/me"), ("DELETE", "/sessions"),
            ("DELETE", "/sessions/7f3a2c1e-0b4d-4e5f-8a6b-1c2d3e4f5a6b"),
            ("PUT", "/sessions/7f3a2c1e-0b4d-4e5f-8a6b-1c2d3e4f5a6b"),
            ("POST", "/sessions/7f3a2c1e-0b4d-4e5f-8a6b-1c2d3e4f5a6b/lock"),
        ])
    func changesNothing(_ method: String, _ path: String) async throws {
        try await ImmichFixture.with { fixture in
            let key = [("x-api-key", try await fixture.token())]
            let response = try await fixture.send(method, path, nil, [:], headers: key)
            #expect(response.status == 403)
            #expect(response.refusal?.hasPrefix("Missing required permission: ") == true)
        }
    }

    @Test(
        "IM-9 session routes refuse a key as 3.1.0 does",
        arguments: [
            "/auth/session/unlock", "/auth/session/lock", "/auth/logout", "/sessions", "/oauth/link", "/oauth/unlink",
        ])
    func hasNoSession(_ path: String) async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            let response = try await fixture.send(
                "POST", path, nil, ["pinCode": "123456"], headers: [("x-api-key", token)])
            #expect(response.status == 400)
            #expect(response.refusal == "This endpoint can only be used with a session token")
            #expect(try await fixture.send("POST", "/auth/validateToken", token).status == 200)
        }
    }
}
