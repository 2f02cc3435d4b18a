import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import JOSE
import LatchSandbox
import Synchronization
import TestSupport
import Testing

/// The token endpoint and UserInfo.
@Suite(.timeLimit(.minutes(20))) struct TokenTests {
    @Test("OX-7 each algorithm's ID token is verified by the published key", arguments: SignatureAlgorithm.allCases)
    func signed(_ algorithm: SignatureAlgorithm) async throws {
        try await RelyingApp.with(algorithms: SignatureAlgorithm.allCases) { app in
            let tokens = try await app.tokens([("algorithm", algorithm.rawValue)])
            let signature = try JSONWebSignature(parsing: tokens["id_token"]?.string ?? "")
            let keys = try await app.keySet().keys.filter { $0.algorithm == algorithm }
            let claims = try RelyingApp.claims(tokens)

            #expect(keys.count == 1 && keys.allSatisfy { signature.isValid(by: $0) })
            #expect(claims["iss"]?.string == app.provider.issuer)
            #expect(claims["aud"] == "the:app" && claims["sub"] == "ada" && claims["nonce"] == "the nonce")
            #expect(claims["email"] == "ada@example.org" && claims["email_verified"] == true)
            #expect(claims["name"] == "Ada L" && claims["sid"]?.string?.isEmpty == false)
            let issued = try #require(claims["iat"]?.number)
            #expect(claims["exp"]?.number == issued + 600)
            if algorithm != .edDSA {
                let hash = SHA256.digest(tokens["access_token"]?.string ?? "").bytes.prefix(16)
                #expect(claims["at_hash"]?.string == Base64URL.encode(Array(hash)))
            }
        }
    }

    @Test("A client authenticates by Basic or by POST, with its secret")
    func authentication() async throws {
        try await RelyingApp.with { app in
            #expect(try await app.redeem(app.code()).status == .ok)
            let posted = ["client_id": "the:app", "client_secret": RelyingApp.secret]
            #expect(try await app.redeem(app.code(), posted, headers: [:]).status == .ok)

            let wrong = try await app.redeem(app.code(), ["client_id": "the:app", "client_secret": "x"], headers: [:])
            #expect(wrong.status == .unauthorized && wrong.text.contains("invalid_client"))
            #expect(wrong.headers["WWW-Authenticate"]?.hasPrefix("Basic") == true)
            #expect(try await app.redeem(app.code(), ["client_id": "the:app"], headers: [:]).status == .unauthorized)
            let both = try await app.redeem(app.code(), posted)
            #expect(both.status == .badRequest && both.text.contains("invalid_request"))
        }
    }

    @Test("A public client sends its id only, and must have sent a challenge")
    func publicClient() async throws {
        try await RelyingApp.with(isPublic: true) { app in
            #expect(try await app.redeem(app.code(), ["client_id": "the:app"], headers: [:]).status == .ok)
            let bare = try await app.open(app.address(["code_challenge": nil, "code_challenge_method": nil]))
            #expect(try RelyingApp.callbackFields(bare)["error"] == "invalid_request")
        }
    }

    @Test("A code is valid once, and a second use revokes the tokens of the first")
    func once() async throws {
        try await RelyingApp.with { app in
            let code = try await app.code()
            let tokens = try JSONValue(parsing: await app.redeem(code).body)
            #expect(try await app.userInfo(tokens).status == .ok)

            let again = try await app.redeem(code)

            #expect(again.status == .badRequest && again.text.contains("invalid_grant"))
            let refused = try await app.userInfo(tokens)
            #expect(refused.status == .unauthorized)
            #expect(refused.headers["WWW-Authenticate"]?.contains("invalid_token") == true)
        }
    }

    @Test("Of a hundred concurrent exchanges of one code, one succeeds")
    func race() async throws {
        try await RelyingApp.with { app in
            let code = try await app.code()
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 { group.addTask { try await app.redeem(code).status == .ok } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }

    @Test("A code with a challenge requires its verifier, and another verifier invalidates it")
    func verifier() async throws {
        try await RelyingApp.with { app in
            let others: [String?] = [String(repeating: "x", count: 43), nil, ""]
            for other in others {
                let code = try await app.code()
                #expect(try await app.redeem(code, ["code_verifier": other]).text.contains("invalid_grant"))
                #expect(try await app.redeem(code).text.contains("invalid_grant"))
            }
            let bare: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]
            #expect(try await app.redeem(app.code(changes: bare)).text.contains("invalid_grant"))
            #expect(try await app.redeem(app.code(changes: bare), ["code_verifier": nil]).status == .ok)
        }
    }

    @Test("Another redirect, another grant type or a repeated field is refused")
    func otherFields() async throws {
        try await RelyingApp.with { app in
            let other = try await app.redeem(app.code(), ["redirect_uri": RelyingApp.redirect + "?kept=1"])
            #expect(other.text.contains("invalid_grant"))
            let grant = try await app.redeem(app.code(), ["grant_type": "password"])
            #expect(grant.text.contains("unsupported_grant_type"))
            let twice = try await app.post(
                app.provider.issuer + "/token", [("code", "a"), ("code", "b")], RelyingApp.basic)
            #expect(twice.text.contains("invalid_request"))
            #expect(twice.headers["Cache-Control"] == "no-store")
        }
    }

    @Test("Another client's code is refused, and stays valid for its own client")
    func otherClient() async throws {
        try await RelyingApp.with { app in
            app.provider.register(RegisteredClient(id: "other", secret: Secret("other"), redirects: []))
            let code = try await app.code()
            let stolen = try await app.redeem(code, ["client_id": "other", "client_secret": "other"], headers: [:])
            #expect(stolen.text.contains("invalid_grant"))
            #expect(try await app.redeem(code).status == .ok)
        }
    }

    @Test("A code expires, and so does an access token")
    func expiry() async throws {
        let clock = Mutex(Date())
        try await RelyingApp.with(configure: { $0.now = { clock.withLock { $0 } } }) { app in
            let code = try await app.code()
            clock.withLock { $0 += 61 }
            #expect(try await app.redeem(code).text.contains("invalid_grant"))

            let tokens = try await app.tokens()
            clock.withLock { $0 += 599 }
            #expect(try await app.userInfo(tokens).status == .ok)
            clock.withLock { $0 += 2 }
            #expect(try await app.userInfo(tokens).status == .unauthorized)
        }
    }

    @Test("Claims that the person does not share are omitted everywhere")
    func withheldClaims() async throws {
        try await RelyingApp.with { app in
            let tokens = try await app.tokens([("consent", "shown"), ("share", "profile")])
            let info = try await app.userInfo(tokens).text
            #expect(tokens["scope"] == "openid profile")
            #expect(try RelyingApp.claims(tokens)["email"] == nil && !info.contains("ada@"))
            #expect(info.contains("Ada L"))
        }
    }

    @Test("Name and e-mail can be returned only by UserInfo")
    func fromUserInfo() async throws {
        try await RelyingApp.with { app in
            let tokens = try await app.tokens([("claims", "userinfo")])
            let claims = try JSONValue(parsing: await app.userInfo(tokens).body)
            #expect(try RelyingApp.claims(tokens)["email"] == nil)
            #expect(claims["email"] == "ada@example.org" && claims["sub"] == "ada" && claims["email_verified"] == true)
        }
    }

    @Test("UserInfo without a token returns a Bearer challenge")
    func noToken() async throws {
        try await RelyingApp.with { app in
            let response = try await app.open(app.provider.issuer + "/userinfo")
            #expect(response.status == .unauthorized)
            #expect(response.headers["WWW-Authenticate"] == "Bearer realm=\"userinfo\"")
        }
    }
}
