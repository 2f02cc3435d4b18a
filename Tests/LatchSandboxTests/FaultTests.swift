import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import JOSE
import LatchSandbox
import TestSupport
import Testing

/// That the provider fails as it was asked to: a relying party is tested by it.
@Suite(.timeLimit(.minutes(20))) struct FaultTests {
    private func callbackFields(_ app: RelyingApp, _ fault: Fault) async throws -> FormFields {
        try RelyingApp.callbackFields(await app.fill(app.address(), more: [("fault", fault.rawValue)]))
    }

    private func tokens(_ app: RelyingApp, _ fault: Fault) async throws -> JSONValue {
        try await app.tokens([("fault", fault.rawValue)])
    }

    @Test("The response to the client has the requested fault")
    func answers() async throws {
        try await RelyingApp.with { app in
            #expect(try await callbackFields(app, .serverError)["error"] == "server_error")
            #expect(try await callbackFields(app, .unavailable)["error"] == "temporarily_unavailable")
            #expect(try await callbackFields(app, .noCode).map(\.name) == ["state", "iss"])
            #expect(try await callbackFields(app, .codeTwice).values("code").count == 2)
            let unknown = try await callbackFields(app, .unknownCode)["code"] ?? ""
            #expect(try await app.redeem(unknown).text.contains("invalid_grant"))
            #expect(try await callbackFields(app, .wrongState)["state"] == "another-state")
            #expect(try await callbackFields(app, .noState)["state"] == nil)
            #expect(try await callbackFields(app, .wrongResponseIssuer)["iss"] == "https://stranger.example")
            #expect(try await callbackFields(app, .noResponseIssuer)["iss"] == nil)
        }
    }

    @Test("The ID token's claims have the requested fault")
    func claims() async throws {
        try await RelyingApp.with { app in
            func claims(_ fault: Fault) async throws -> JSONValue { try RelyingApp.claims(await tokens(app, fault)) }
            let now = Date().timeIntervalSince1970
            #expect(try await claims(.wrongNonce)["nonce"] == "another-nonce")
            #expect(try await claims(.noNonce)["nonce"] == nil)
            #expect(try #require(await claims(.expired)["exp"]?.number) <= now - 3000)
            #expect(try #require(await claims(.fromTheFuture)["iat"]?.number) >= now + 3000)
            #expect(try await claims(.wrongAudience)["aud"] == "somebody-else")
            #expect(try await claims(.wrongAuthorizedParty)["azp"] == "somebody-else")
            #expect(try await claims(.wrongIssuer)["iss"] == "https://stranger.example")
            #expect(try await claims(.noSubject)["sub"] == nil)
            #expect(try await claims(.unverifiedEmail)["email_verified"] == false)
            #expect(try await claims(.noEmail)["email"] == nil)

            let hashed = try await tokens(app, .wrongTokenHash)
            let right = SHA256.digest(hashed["access_token"]?.string ?? "").bytes.prefix(16)
            #expect(try RelyingApp.claims(hashed)["at_hash"]?.string != Base64URL.encode(Array(right)))
        }
    }

    @Test("The ID token's signature has the requested fault")
    func signatures() async throws {
        try await RelyingApp.with { app in
            let keys = try await app.keySet().keys
            let spoiled = try await JSONWebSignature(parsing: tokens(app, .wrongSignature)["id_token"]?.string ?? "")
            #expect(!keys.contains { spoiled.isValid(by: $0) })
            let unknown = try await JSONWebSignature(parsing: tokens(app, .unknownKey)["id_token"]?.string ?? "")
            #expect(!keys.contains { unknown.isValid(by: $0) || $0.keyID == unknown.header.keyID })

            let unsigned = try await tokens(app, .unsigned)["id_token"]?.string ?? ""
            let parts = unsigned.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            #expect(parts.count == 3 && parts[2].isEmpty)
            #expect(Base64URL.decode(parts[0]).map { String(decoding: $0, as: UTF8.self) }?.contains("none") == true)
        }
    }

    @Test("The token endpoint fails as requested")
    func tokenEndpoint() async throws {
        try await RelyingApp.with(configure: { $0.responseDelay = .milliseconds(1) }) { app in
            func redeem(_ fault: Fault) async throws -> ClientResponse {
                try await app.redeem(app.code([("fault", fault.rawValue)]))
            }
            let tokens = try JSONValue(parsing: await redeem(.noIDToken).body)
            #expect(tokens["access_token"] != nil && tokens["id_token"] == nil)
            #expect(try await redeem(.refusedGrant).text.contains("invalid_grant"))
            #expect(try await redeem(.brokenTokens).status == .internalServerError)
            #expect(try await redeem(.pageForTokens).text.contains("<!doctype html>"))
            #expect(try await redeem(.slow).status == .ok)
        }
    }

    @Test("UserInfo fails as requested, and is required then")
    func userInfo() async throws {
        try await RelyingApp.with { app in
            let other = try await tokens(app, .otherSubject)
            #expect(try RelyingApp.claims(other)["email"] == nil)
            #expect(try await app.userInfo(other).text.contains("somebody-else"))
            let broken = try await tokens(app, .brokenUserInfo)
            #expect(try RelyingApp.claims(broken)["email"] == nil)
            #expect(try await app.userInfo(broken).status == .internalServerError)
        }
    }

    @Test("An option that is not on the page is refused", arguments: ["fault", "algorithm", "claims"])
    func unknownChoice(_ name: String) async throws {
        try await RelyingApp.with { app in
            let response = try await app.fill(app.address(), more: [(name, "x")])
            #expect(response.status == .badRequest && response.headers["Location"] == nil)
        }
    }
}
