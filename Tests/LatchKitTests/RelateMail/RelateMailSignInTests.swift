import Foundation
import HTTPMessages
import HTTPServer
import ScriptedProvider
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Sign-in at the provider, and the key that it creates, against a server that follows docs/protocols/relate-mail.md.
@Suite(.timeLimit(.minutes(20))) struct RelateMailSignInTests {
    @Test(
        "RM-4 to RM-7 a person signs in at the provider; the key and its id are stored, and no tokens")
    func endToEnd() async throws {
        var script = ProviderScript()
        script.tokens = { $0["refresh_token"] = "refresh-0123456789" }
        let fixture = try await RelateMailFixture(provider: script)
        let latch = try await fixture.home.open()

        let account = try await fixture.signIn(latch)

        let key = try #require(fixture.server.keys.first)
        #expect(
            fixture.server.keys.count == 1 && key.scopes == ["smtp", "pop3", "imap", "api:read", "api:write", "app"])
        #expect(key.name.hasPrefix("latch on "))
        #expect(account.userEmail == "ada@example.org" && account.displayName == "Ada Lovelace" && account.isActive)
        #expect(account.apiKeyID == key.id && account.scopes == key.scopes && account.dialect.rawValue == "relate-mail")
        let stored = try #require(try await fixture.stored(account))
        #expect(stored.access.reveal() == key.key && stored.keyID == key.id && stored.refresh == nil)
        for secret in ["access-0123456789", "refresh-0123456789", "code-0123456789", key.key] + Leaks.tokenStarts {
            #expect(try fixture.home.files(holding: secret).isEmpty, "\(secret)")
        }
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
        #expect(fixture.wire.requests.last?.headers["Authorization"] == "ApiKey \(key.key)")
        #expect(try await latch.accounts.orphanedKeys(of: account.id).isEmpty)

        let report = try await latch.signOut(account)
        #expect(report.isRevoked && fixture.server.keys.isEmpty)
        await fixture.stop()
    }

    @Test(
        "RM-5 the request to the provider has PKCE, state, nonce and the scopes of config.json, and the custom scheme")
    func request() async throws {
        let fixture = try await RelateMailFixture(.init(configuration: ["oidcScope": "profile email mail.read"]))
        let latch = try await fixture.home.open()
        let found = try await fixture.probe().requireServer()
        async let account = latch.signIn(fixture.person.signIn(), to: found)
        let address = await fixture.person.address()

        let query = try FormURLEncoded.decode(String(address.drop { $0 != "?" }.dropFirst()))
        #expect(address.hasPrefix(fixture.provider.issuer + "/authorize?"))
        #expect(query["redirect_uri"] == "relate-mail://auth/callback" && query["response_type"] == "code")
        #expect(query["scope"] == "openid profile email mail.read" && query["code_challenge_method"] == "S256")
        #expect((query["state"] ?? "").count >= 22 && (query["nonce"] ?? "").count >= 22)
        #expect(query["client_id"] == ScriptedProvider.clientID && (query["code_challenge"] ?? "").count == 43)
        try fixture.person.open(await fixture.person.link(from: address))
        _ = try await account
        await fixture.stop()
    }

    @Test("RM-5 optionally the browser is redirected to a loopback port, at /auth/callback")
    func loopback() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let found = try await fixture.probe().requireServer()
        async let account = latch.signIn(fixture.person.signIn(.loopback), to: found)

        let link = try await fixture.person.link(from: await fixture.person.address())
        #expect(link.firstMatch(of: #/^http://127\.0\.0\.1:\d+/auth/callback\?/#) != nil)
        #expect(try await fixture.person.visit(link).status == "200")
        #expect(try await account.userEmail == "ada@example.org")
        await fixture.stop()
    }

    @Test("RM-5 the server's extra headers are sent to the server with every request, and never to the provider")
    func headers() async throws {
        let seen = Mutex(0)
        var script = ProviderScript()
        for path in ["/.well-known/openid-configuration", "/token", "/keys", "/userinfo"] {
            script.replacements[path] = { request in
                if request.headers["CF-Access-Client-Secret"] != nil { seen.withLock { $0 += 1 } }
                return nil
            }
        }
        let fixture = try await RelateMailFixture(provider: script)
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(
            latch, connection: .init(proxy: "", extraHeaders: ["CF-Access-Client-Secret": "s3cret"]))

        #expect(seen.withLock { $0 } == 0 && fixture.provider.requests.contains("/userinfo"))
        #expect(fixture.wire.requests.allSatisfy { $0.headers["CF-Access-Client-Secret"] == "s3cret" })
        #expect(fixture.wire.requests.count == 4 && account.isSignedIn)
        await fixture.stop()
    }

    /// What a person asks a key to do, and what becomes of it.
    static let wishes: [(release: RelateMailScript.Release, asked: [String]?, got: [String], path: String)] = [
        (.init(), ["app"], ["app"], "/api/smtp-credentials/mobile"),
        (.init(), ["api:read", "smtp"], ["api:read", "smtp"], "/api/smtp-credentials"),
        (.init(hasAppKeys: false), ["app"], ["app"], "/api/smtp-credentials"),
        (.init(made: 201), nil, RelateMailDialect.allScopes, "/api/smtp-credentials"),
        // Before 2026-02-03 there was no `app`: the list is refused, and without one everything is given.
        (
            .init(scopes: ["smtp", "pop3", "imap", "api:read", "api:write"]), nil,
            ["smtp", "pop3", "imap", "api:read", "api:write"], "/api/smtp-credentials"
        ),
        // And the short way gave these two.
        (
            .init(scopes: ["smtp", "pop3", "imap", "api:read", "api:write"]), ["app"], ["api:read", "api:write"],
            "/api/smtp-credentials/mobile"
        ),
    ]

    @Test("RM-6 a key has the requested scopes, as in the server's response", arguments: wishes)
    func scopes(_ row: (release: RelateMailScript.Release, asked: [String]?, got: [String], path: String)) async throws
    {
        let fixture = try await RelateMailFixture(row.release)
        let latch = try await fixture.home.open()

        let account = try await fixture.signIn(latch, scopes: row.asked)

        #expect(account.scopes == row.got && fixture.server.keys.map(\.scopes) == [row.got])
        #expect(fixture.wire.requests.last { $0.method == "POST" }?.path == row.path)
        await fixture.stop()
    }

    @Test("RM-6 unusable scopes are refused before the browser is opened")
    func uselessScopes() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let error = await #expect(throws: LatchError.self) {
            try await fixture.signIn(latch, scopes: ["smtp", "imap"])
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("mail programs") == true)
        #expect(fixture.provider.requests.isEmpty && fixture.server.keys.isEmpty)
        await fixture.stop()
    }

    @Test("RM-8 signing in again revokes the previous key, and keeps one account")
    func repeatedSignIn() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let first = try await fixture.signIn(latch)
        let second = try await fixture.signIn(latch)

        #expect(first.id == second.id && first.apiKeyID != second.apiKeyID)
        #expect(fixture.server.keys.map(\.id) == [second.apiKeyID])
        #expect(try await latch.accounts.orphanedKeys(of: second.id).isEmpty)
        #expect(try await latch.session(for: second).identity().email == "ada@example.org")
        await fixture.stop()
    }

    @Test("RM-7 a key whose response was lost is searched by its name and revoked")
    func lostResponse() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let other = fixture.server.add()
        let server = fixture.server
        fixture.wire.script { request in
            let response = server.response(request)
            return request.method == "POST" ? .silence : response
        }
        let error = await #expect(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(error?.code == .connectionLost)
        #expect(fixture.server.keys.map(\.id) == [other.id])
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await fixture.stop()
    }

    @Test("RM-6 if no key is created, the server's message is reported, in every error format")
    func refusals() async throws {
        let problem = #"{"title":"One or more validation errors occurred.","errors":{"Name":["Too long."]}}"#
        let rows: [(ScriptedServer.Response, LatchError.Code, String)] = [
            (.json(#"{"error":"Name is required"}"#, 400), .serverRefused, "says: Name is required."),
            (
                .init(status: 400, headers: ["Content-Type": "application/problem+json"], body: problem),
                .serverRefused, "validation errors occurred. Too long."
            ),
            (.init(status: 403, headers: [:]), .serverRefused, "status 403"),
            (.init(status: 429, headers: [:]), .rateLimited, "Wait 60 seconds"),
            (.init(status: 429, headers: ["Retry-After": "9"]), .rateLimited, "Wait 9 seconds"),
            (.json(#"{"error":"An unexpected error occurred"}"#, 500), .serverError, "status 500"),
            (.page(200), .interceptedResponse, "web page"), (.json("{}"), .interceptedResponse, "unexpected format"),
            (
                .json(#"{"id":"../x","name":"n","apiKey":"k","scopes":["app"],"createdAt":""}"#), .interceptedResponse,
                "unexpected format"
            ),
            (
                .json(#"{"id":"1","name":"n","apiKey":"a b","scopes":["app"],"createdAt":""}"#), .interceptedResponse,
                "unexpected format"
            ),
        ]
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        for (response, code, message) in rows {
            fixture.server.intercept { $0.method == "POST" ? response : nil }
            let error = await #expect(throws: LatchError.self) { try await fixture.signIn(latch) }
            #expect(error?.code == code && error?.message.contains(message) == true, "\(error?.message ?? "")")
            #expect(error?.message.leaks("access-0123456789") == false)
        }
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await fixture.stop()
    }

    @Test("RM-6 a token that the server refuses, or that has no address, is reported")
    func badTokens() async throws {
        let fixture = try await RelateMailFixture(.init(tokenTellsEmail: false))
        let latch = try await fixture.home.open()
        let silent = await #expect(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(silent?.code == .serverError && silent?.message.contains("e-mail address") == true)

        fixture.server.intercept { $0.path == "/api/profile" ? .init(status: 401, headers: [:]) : nil }
        let refused = await #expect(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(refused?.code == .serverRefused && refused?.message.contains(fixture.provider.issuer) == true)
        #expect(fixture.server.keys.isEmpty)
        await fixture.stop()
    }
}
