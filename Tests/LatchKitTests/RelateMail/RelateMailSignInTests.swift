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
        "RM-4 to RM-7 a person signs in at the provider; the key is kept, its id in the account, all tokens forgotten")
    func wholeWay() async throws {
        var script = ProviderScript()
        script.tokens = { $0["refresh_token"] = "refresh-0123456789" }
        let world = try await RelateMailWorld(provider: script)
        let latch = try await world.home.open()

        let account = try await world.signIn(latch)

        let key = try #require(world.server.keys.first)
        #expect(world.server.keys.count == 1 && key.scopes == ["smtp", "pop3", "imap", "api:read", "api:write", "app"])
        #expect(key.name.hasPrefix("latch on "))
        #expect(account.userEmail == "ada@example.org" && account.displayName == "Ada Lovelace" && account.isActive)
        #expect(account.apiKeyID == key.id && account.scopes == key.scopes && account.dialect.rawValue == "relate-mail")
        let stored = try #require(try await world.stored(account))
        #expect(stored.access.reveal() == key.key && stored.keyID == key.id && stored.refresh == nil)
        for secret in ["access-0123456789", "refresh-0123456789", "code-0123456789", key.key] + Leaks.tokenStarts {
            #expect(try world.home.files(holding: secret).isEmpty, "\(secret)")
        }
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
        #expect(world.wire.requests.last?.headers["Authorization"] == "ApiKey \(key.key)")
        #expect(try await latch.accounts.leftovers(of: account.id).isEmpty)

        let report = try await latch.signOut(account)
        #expect(report.isRevoked && world.server.keys.isEmpty)
        await world.stop()
    }

    @Test(
        "RM-5 the request to the provider has PKCE, state, nonce and the scopes of config.json, and the custom scheme")
    func request() async throws {
        let world = try await RelateMailWorld(.init(configuration: ["oidcScope": "profile email mail.read"]))
        let latch = try await world.home.open()
        let found = try await world.probe().requireServer()
        async let account = latch.signIn(world.person.signIn(), to: found)
        let address = await world.person.address()

        let query = try FormURLEncoded.decode(String(address.drop { $0 != "?" }.dropFirst()))
        #expect(address.hasPrefix(world.provider.issuer + "/authorize?"))
        #expect(query["redirect_uri"] == "relate-mail://auth/callback" && query["response_type"] == "code")
        #expect(query["scope"] == "openid profile email mail.read" && query["code_challenge_method"] == "S256")
        #expect((query["state"] ?? "").count >= 22 && (query["nonce"] ?? "").count >= 22)
        #expect(query["client_id"] == ScriptedProvider.clientID && (query["code_challenge"] ?? "").count == 43)
        try world.person.open(await world.person.link(from: address))
        _ = try await account
        await world.stop()
    }

    @Test("RM-5 by choice the browser comes back to a port of this machine, at /auth/callback")
    func loopback() async throws {
        let world = try await RelateMailWorld()
        let latch = try await world.home.open()
        let found = try await world.probe().requireServer()
        async let account = latch.signIn(world.person.signIn(.loopback), to: found)

        let link = try await world.person.link(from: await world.person.address())
        #expect(link.firstMatch(of: #/^http://127\.0\.0\.1:\d+/auth/callback\?/#) != nil)
        #expect(try await world.person.visit(link).status == "200")
        #expect(try await account.userEmail == "ada@example.org")
        await world.stop()
    }

    @Test("RM-5 the server's extra headers go to the server with every request, and never to the provider")
    func headers() async throws {
        let seen = Mutex(0)
        var script = ProviderScript()
        for path in ["/.well-known/openid-configuration", "/token", "/keys", "/userinfo"] {
            script.replacements[path] = { request in
                if request.headers["CF-Access-Client-Secret"] != nil { seen.withLock { $0 += 1 } }
                return nil
            }
        }
        let world = try await RelateMailWorld(provider: script)
        let latch = try await world.home.open()
        let account = try await world.signIn(
            latch, connection: .init(proxy: "", extraHeaders: ["CF-Access-Client-Secret": "s3cret"]))

        #expect(seen.withLock { $0 } == 0 && world.provider.requests.contains("/userinfo"))
        #expect(world.wire.requests.allSatisfy { $0.headers["CF-Access-Client-Secret"] == "s3cret" })
        #expect(world.wire.requests.count == 4 && account.isSignedIn)
        await world.stop()
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

    @Test("RM-6 a key may do what was asked for, as the server's reply says", arguments: wishes)
    func scopes(_ row: (release: RelateMailScript.Release, asked: [String]?, got: [String], path: String)) async throws
    {
        let world = try await RelateMailWorld(row.release)
        let latch = try await world.home.open()

        let account = try await world.signIn(latch, scopes: row.asked)

        #expect(account.scopes == row.got && world.server.keys.map(\.scopes) == [row.got])
        #expect(world.wire.requests.last { $0.method == "POST" }?.path == row.path)
        await world.stop()
    }

    @Test("RM-6 scopes that no program can use are refused before the browser opens")
    func uselessScopes() async throws {
        let world = try await RelateMailWorld()
        let latch = try await world.home.open()
        let error = await #expect(throws: LatchError.self) { try await world.signIn(latch, scopes: ["smtp", "imap"]) }
        #expect(error?.code == .invalidRequest && error?.message.contains("mail programs") == true)
        #expect(world.provider.requests.isEmpty && world.server.keys.isEmpty)
        await world.stop()
    }

    @Test("RM-8 signing in again revokes the key of before, and keeps one account")
    func again() async throws {
        let world = try await RelateMailWorld()
        let latch = try await world.home.open()
        let first = try await world.signIn(latch)
        let second = try await world.signIn(latch)

        #expect(first.id == second.id && first.apiKeyID != second.apiKeyID)
        #expect(world.server.keys.map(\.id) == [second.apiKeyID])
        #expect(try await latch.accounts.leftovers(of: second.id).isEmpty)
        #expect(try await latch.session(for: second).identity().email == "ada@example.org")
        await world.stop()
    }

    @Test("RM-7 a key whose answer did not come is looked for by its name, and revoked")
    func lostAnswer() async throws {
        let world = try await RelateMailWorld()
        let latch = try await world.home.open()
        let other = world.server.add()
        let server = world.server
        world.wire.script { request in
            let answer = server.answer(request)
            return request.method == "POST" ? .silence : answer
        }
        let error = await #expect(throws: LatchError.self) { try await world.signIn(latch) }
        #expect(error?.code == .connectionLost)
        #expect(world.server.keys.map(\.id) == [other.id])
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await world.stop()
    }

    @Test("RM-6 why no key was made is told in the server's words, in whichever envelope")
    func refusals() async throws {
        let problem = #"{"title":"One or more validation errors occurred.","errors":{"Name":["Too long."]}}"#
        let rows: [(ScriptedServer.Answer, LatchError.Code, String)] = [
            (.json(#"{"error":"Name is required"}"#, 400), .serverRefused, "says: Name is required."),
            (
                .init(status: 400, headers: ["Content-Type": "application/problem+json"], body: problem),
                .serverRefused, "validation errors occurred. Too long."
            ),
            (.init(status: 403, headers: [:]), .serverRefused, "status 403"),
            (.init(status: 429, headers: [:]), .rateLimited, "Wait 60 seconds"),
            (.init(status: 429, headers: ["Retry-After": "9"]), .rateLimited, "Wait 9 seconds"),
            (.json(#"{"error":"An unexpected error occurred"}"#, 500), .serverError, "status 500"),
            (.page(200), .foreignAnswer, "web page"), (.json("{}"), .foreignAnswer, "unexpected format"),
            (
                .json(#"{"id":"../x","name":"n","apiKey":"k","scopes":["app"],"createdAt":""}"#), .foreignAnswer,
                "unexpected format"
            ),
            (
                .json(#"{"id":"1","name":"n","apiKey":"a b","scopes":["app"],"createdAt":""}"#), .foreignAnswer,
                "unexpected format"
            ),
        ]
        let world = try await RelateMailWorld()
        let latch = try await world.home.open()
        for (answer, code, words) in rows {
            world.server.intercept { $0.method == "POST" ? answer : nil }
            let error = await #expect(throws: LatchError.self) { try await world.signIn(latch) }
            #expect(error?.code == code && error?.message.contains(words) == true, "\(error?.message ?? "")")
            #expect(error?.message.leaks("access-0123456789") == false)
        }
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await world.stop()
    }

    @Test("RM-6 a token that the server does not take, or that tells no address, is told as such")
    func badTokens() async throws {
        let world = try await RelateMailWorld(.init(tokenTellsEmail: false))
        let latch = try await world.home.open()
        let silent = await #expect(throws: LatchError.self) { try await world.signIn(latch) }
        #expect(silent?.code == .serverError && silent?.message.contains("e-mail address") == true)

        world.server.intercept { $0.path == "/api/profile" ? .init(status: 401, headers: [:]) : nil }
        let refused = await #expect(throws: LatchError.self) { try await world.signIn(latch) }
        #expect(refused?.code == .serverRefused && refused?.message.contains(world.provider.issuer) == true)
        #expect(world.server.keys.isEmpty)
        await world.stop()
    }
}
