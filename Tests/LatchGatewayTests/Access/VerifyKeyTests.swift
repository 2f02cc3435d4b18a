import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import OpenIDConnect
import TestSupport
import Testing

@testable import ForwardAuth
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Keys as passwords of Basic authentication.
@Suite("Keys of programs in forward authentication", .timeLimit(.minutes(20)))
struct VerifyKeyTests: AsksForwardAuth {
    private func basic(_ name: String, _ password: String) -> [(String, String)] {
        [("Authorization", "Basic " + Data("\(name):\(password)".utf8).base64EncodedString())]
    }

    private func key(_ fixture: GatewayFixture, _ person: Person, _ scopes: [String] = ["app"]) async throws -> String {
        try await fixture.gateway.stores.apiKeys.create(for: person, name: "calendar", scopes: scopes, maximum: 10).key
            .reveal()
    }

    @Test("A person's key is accepted as the Basic password only where a rule allows it")
    func keys() async throws {
        try await with { fixture in
            let ada = try await fixture.addPerson()
            let key = try await key(fixture, ada)
            let id = ada.id.uuidString.lowercased()
            for name in [GatewayFixture.email, "ADA@example.org", id, id.uppercased()] {
                for _ in 1...2 {
                    let response = try await ask(fixture, "/dav/x", method: "PUT", basic(name, key))
                    #expect(response.status == 200)
                    #expect(response.headers["X-Auth-User"] == id)
                    #expect(response.headers["X-Auth-Email"] == GatewayFixture.email)
                    #expect(response.headers["X-Auth-Session"] == nil)
                    #expect(response.headers["X-Auth-Credential"] == "key")
                }
            }
            #expect(try await ask(fixture, "/photos", basic(GatewayFixture.email, key)).status == 401)
            #expect(try await ask(fixture, "/bob/x", basic(GatewayFixture.email, key)).status == 403)
            #expect(try await ask(fixture, "/health", basic(GatewayFixture.email, key)).headers["X-Auth-User"] == nil)
            // The session of a browser comes first; then Basic is for the backend.
            let token = try await fixture.token()
            let both = try await ask(
                fixture, "/dav/x", [("Cookie", "__Host-latchd_session=\(token)")] + basic("x", "y"))
            #expect(both.status == 200)
            #expect(both.headers["X-Auth-Credential"] == nil)
            // Not the password, nor a token, nor another person's name, nor a revoked key.
            try await fixture.addPerson("bob@example.org")
            for (name, password) in [
                (GatewayFixture.email, GatewayFixture.password), (GatewayFixture.email, token),
                ("bob@example.org", key),
            ] {
                #expect(try await ask(fixture, "/dav/x", basic(name, password)).status == 401)
            }
            try await fixture.gateway.stores.apiKeys.revokeAll(of: ada.id)
            #expect(try await ask(fixture, "/dav/x", basic(GatewayFixture.email, key)).status == 401)
        }
    }

    @Test("The backend never gets a key, whatever decides about the request and whether the key is valid or not")
    func hiddenKeys() async throws {
        try await with { fixture in
            let ada = try await fixture.addPerson()
            let revoked = try await key(fixture, ada)
            try await fixture.gateway.stores.apiKeys.revokeAll(of: ada.id)
            let valid = try await key(fixture, ada)
            let cookie = [("Cookie", "__Host-latchd_session=\(try await fixture.token())")]
            for secret in [valid, revoked, String(repeating: "A", count: 43) + "="] {
                for name in [GatewayFixture.email, "bob@example.org", ""] {
                    for (path, fields) in [
                        ("/health", []), ("/health", cookie), ("/photos", cookie), ("/dav/x", cookie),
                    ] {
                        // The second response comes from memory.
                        for _ in 1...2 {
                            let response = try await ask(fixture, path, fields + basic(name, secret))
                            #expect(response.status == 200)
                            #expect(response.headers["X-Auth-Credential"] == "key", "\(path) \(name)")
                            #expect((response.headers["X-Auth-User"] == nil) == fields.isEmpty)
                        }
                    }
                }
            }
            // A password of the backend is passed on.
            for fields in [[], cookie] {
                let own = try await ask(fixture, "/health", fields + basic("x", "y"))
                #expect(own.status == 200 && own.headers["X-Auth-Credential"] == nil)
            }
        }
    }

    @Test("The backend gets every credential of its own, and none with a key or token in any place")
    func ownCredentials() async throws {
        try await with { fixture in
            let ada = try await fixture.addPerson()
            let token = try await fixture.token()
            let key = try await key(fixture, ada)
            func basic(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
            let keyed = basic("ada:\(key)")
            let cookie = [("Cookie", "__Host-latchd_session=\(token)")]
            let hidden: [[String]] = [
                ["Basic eDp5, Bearer \(token)"], ["Basic eDp5,Bearer \(token)"], ["Basic eDp5 Bearer \(token)"],
                ["Basic eDp5; DPoP \(token)"], ["Basic eDp5", "Bearer \(token)"], ["Bearer \(token)", "Basic eDp5"],
                ["Basic eDp5", "Basic eDp5"], [", Bearer \(token)"], ["Digest a=\"b\", bearer \(token)"],
                ["Basic\t\(keyed)"], ["Basic \(keyed.prefix { $0 != "=" })"], ["Basic \(basic("ada:\(key)\n"))"],
                ["Basic \(keyed), Basic eDp5"], ["Basic eDp5,Basic \(keyed)"], ["\(keyed)"],
                ["x\u{600} \(keyed)"], ["\(keyed) \u{301}"], ["x\u{600},\(keyed),\u{301}"],
            ]
            let own = [
                "Basic eDp5", "basic  eDp5==", "Basic eDp5,", "Negotiate", "NTLM TlRMTVNTUAAB=", "Token a.b-c_d~e+f/g",
                #"Digest username="x, Bearer y", realm="\"a\"" , nc=00000001,uri = "/x", algorithm=MD5"#,
                "AWS4-HMAC-SHA256 Credential=A/20261129/eu/s3/aws4_request, SignedHeaders=host;range, Signature=fe5f",
                "PVEAPIToken=root@pam!mon=0b5f8d2a-1111-4222-8333-444455556666", "AWS AKID:c2lnbmF0dXJl=",
                "SharedKey account:c2lnbmF0dXJl=", "HMAC-SHA256 key:value", "eDp5", "user:pass", "Token 1|abc",
                "MediaBrowser Client=Living room, Device=a b, Token=c", #"Digest a="b"#,
            ]
            for fields in [[], cookie] {
                for values in hidden {
                    let response = try await ask(fixture, "/health", fields + values.map { ("Authorization", $0) })
                    #expect(response.status == 200)
                    #expect(response.headers["X-Auth-Credential"] == "key", "\(values)")
                }
                for value in own {
                    let response = try await ask(fixture, "/health", fields + [("Authorization", value)])
                    #expect(response.status == 200)
                    #expect(response.headers["X-Auth-Credential"] == nil, "\(value)")
                }
            }
        }
    }

    @Test("Behind a proxy, a key's scopes decide whether it can read, write, or neither")
    func keyScopes() async throws {
        try await with { fixture in
            let ada = try await fixture.addPerson()
            let rows: [(scope: String, read: Int, write: Int)] = [
                ("app", 200, 200), ("api:write", 200, 200), ("api:read", 200, 403), ("imap", 403, 403),
            ]
            for row in rows {
                let key = basic(GatewayFixture.email, try await key(fixture, ada, [row.scope]))
                for (method, status) in [("PROPFIND", row.read), ("GET", row.read), ("PUT", row.write)] {
                    #expect(
                        try await ask(fixture, "/dav/x", method: method, key).status == status, "\(row.scope) \(method)"
                    )
                }
            }
        }
    }

    @Test("With a read-only key, a request that names another method is refused, whatever the rules say")
    func keyOverride() async throws {
        func onlyKeys(_ settings: inout GatewaySettings) {
            settings.verify.rules.rules = [Self.rule("dav", paths: ["/dav/*"], acceptsKeys: true)]
        }
        try await with(change: onlyKeys) { fixture in
            let ada = try await fixture.addPerson()
            let override = [("X-HTTP-Method-Override", "DELETE")]
            for (scope, status) in [("app", 200), ("api:write", 200), ("api:read", 403)] {
                let key = basic(GatewayFixture.email, try await key(fixture, ada, [scope]))
                #expect(try await ask(fixture, "/dav/x", key).status == 200, "\(scope)")
                #expect(try await ask(fixture, "/dav/x", key + override).status == status, "\(scope)")
            }
        }
    }

    @Test("Wrong keys count as failed sign-ins for the account and the address; a valid cached key still works")
    func guessedKeys() async throws {
        try await with(change: { $0.accountLimit = AttemptLimit(attempts: 3, window: .seconds(900)) }) { fixture in
            let ada = try await fixture.addPerson()
            let known = basic(GatewayFixture.email, try await key(fixture, ada))
            #expect(try await ask(fixture, "/dav/x", known).status == 200)
            let wrong = basic(GatewayFixture.email, String(repeating: "A", count: 43) + "=")
            for _ in 1...3 { #expect(try await ask(fixture, "/dav/x", wrong).status == 401) }
            let limited = try await ask(fixture, "/dav/x", wrong)
            #expect(limited.status == 429)
            #expect(limited.headers["Retry-After"] != nil)
            #expect(try await ask(fixture, "/dav/x", query: "?proxy=nginx", wrong).status == 403)
            #expect(try await fixture.login().status == 429)
            #expect(try await ask(fixture, "/dav/x", known).status == 200)
            #expect(fixture.lines.audit.count { $0["reason"]?.string == "wrong-key" } == 3)
        }
    }

    @Test("A key neither clears the failed passwords of its person nor makes an address known")
    func keyIsNoPassword() async throws {
        let change: (inout GatewaySettings) -> Void = {
            $0.accountLimit = AttemptLimit(attempts: 3, window: .seconds(900))
            $0.trustedProxies = TrustedProxies([try! IPNetwork.required("127.0.0.1/32")])
        }
        try await with(change: change) { fixture in
            let ada = try await fixture.addPerson()
            func use(from address: String) async throws {
                // A new key each time, because one that is in memory asks no counter.
                let key = try await fixture.gateway.stores.apiKeys.create(
                    for: ada, name: "calendar", scopes: ["app"], maximum: 100
                ).key
                let fields = basic(GatewayFixture.email, key.reveal()) + [("X-Forwarded-For", address)]
                #expect(try await ask(fixture, "/dav/x", fields).status == 200)
            }
            let home = [("X-Forwarded-For", "192.0.2.1")]
            #expect(try await fixture.login(headers: home).status == 200)
            for number in 0..<AccountCounters.maximumAddresses { try await use(from: "203.0.113.\(number)") }
            let thief = "198.51.100.1"
            for status in [400, 400, 400, 429] {
                if status == 400 { try await use(from: thief) }
                let guess = try await fixture.login(password: "wrong one", headers: [("X-Forwarded-For", thief)])
                #expect(guess.status == status)
                if status == 400 { continue }
                #expect(try await fixture.login(headers: [("X-Forwarded-For", "203.0.113.0")]).status == 429)
                #expect(try await fixture.login(headers: home).status == 200)
            }
        }
    }

    @Test("A Basic challenge is sent to programs where a rule accepts keys, and not to scripts in pages")
    func keyChallenge() async throws {
        try await with { fixture in
            let program = try await ask(fixture, "/dav/x", method: "PROPFIND")
            #expect(program.status == 401)
            #expect(
                program.headers["WWW-Authenticate"]?.hasPrefix(#"Basic realm="latchd", charset="UTF-8", Bearer "#)
                    == true)
            let script = try await ask(fixture, "/dav/x", [("Sec-Fetch-Mode", "cors")])
            #expect(script.headers["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
            #expect(try await ask(fixture, "/photos").headers["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
        }
    }
}
