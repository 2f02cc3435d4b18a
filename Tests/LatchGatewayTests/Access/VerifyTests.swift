import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import OpenIDConnect
import Testing

@testable import ForwardAuth
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite("Forward authentication", .timeLimit(.minutes(20)))
struct VerifyTests {
    /// A gateway at `https://id.example.org` that trusts this machine, with rules for `app.example.org`.
    private func with(
        cookieDomain: String? = nil, pages: Bool = true, trusted: String = "127.0.0.0/8",
        change: (inout GatewaySettings) -> Void = { _ in }, _ body: (GatewayFixture) async throws -> Void
    ) async throws {
        try await GatewayFixture.with { settings in
            settings.publicURL = "https://id.example.org"
            settings.trustedProxies = TrustedProxies([IPNetwork(trusted)].compactMap { $0 })
            settings.pages.isEnabled = pages
            settings.verify.isEnabled = true
            settings.verify.cookieDomain = cookieDomain
            settings.verify.rules.rules = [
                Self.rule("health", paths: ["/health", "/share/*"], allow: .everybody),
                Self.rule("read", paths: ["/feed/*"], methods: [.get], allow: .everybody),
                Self.rule("admin", paths: ["/admin/*"], groups: ["admins"]),
                Self.rule("ada", paths: ["/ada/*"], users: ["Ada@example.org"]),
                Self.rule("off", paths: ["/off/*"], allow: .nobody),
                Self.rule("dav", paths: ["/dav/*"], acceptsKeys: true),
                Self.rule("bob", paths: ["/bob/*"], users: ["bob@example.org"], acceptsKeys: true),
                Self.rule("apps"),
            ]
            change(&settings)
        } _: {
            try await body($0)
        }
    }

    private static func rule(
        _ name: String, paths: [String] = [], methods: [HTTPMethod] = [], allow: AccessDraft.Allowance = .signedIn,
        users: [String] = [], groups: [String] = [], acceptsKeys: Bool = false
    ) -> AccessRule {
        AccessDraft(
            hosts: ["app.example.org"], paths: paths, methods: methods, allow: allow, users: users, groups: groups,
            acceptsKeys: acceptsKeys
        ).rule(name)
    }

    private func ask(
        _ fixture: GatewayFixture, _ path: String = "/photos", method: String = "GET", token: String? = nil,
        query: String = "", _ more: [(String, String)] = []
    ) async throws -> Exchange.Response {
        let identity = [
            ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", method),
            ("X-Forwarded-Uri", path),
        ]
        return try await fixture.http.send(
            "GET", "/auth/verify" + query, headers: identity + GatewayFixture.bearer(token) + more)
    }

    @Test("A person who must change their password is redirected to that page on the server's own host")
    func passwordChange() async throws {
        try await with { fixture in
            let person = try await fixture.gateway.stores.people.add(
                email: GatewayFixture.email, password: Secret(GatewayFixture.password), mustChange: true)
            let token = try await fixture.gateway.issuer.issue(for: person, device: SessionDevice()).token.reveal()
            let cookie = [("Cookie", "__Host-latchd_session=\(token)")]
            let response = try await ask(fixture, "/photos?a=b", Self.browser + cookie)
            #expect(response.status == 302)
            #expect(
                response.headers["Location"]
                    == "https://id.example.org/latch/account/password?return=https%3A%2F%2Fapp.example.org%2Fphotos%3Fa%3Db"
            )
            for (path, status) in [("/health", 200), ("/off/x", 403), ("/ada/x", 302)] {
                #expect(try await ask(fixture, path, Self.browser + cookie).status == status, "\(path)")
            }
            // On a public address the answer does not say who asks.
            #expect(try await ask(fixture, "/health", cookie).headers["X-Auth-User"] == nil)
        }
    }

    private static let browser = [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")]

    @Test("For a session of an app or a browser, the response identifies the person in plain ASCII fields")
    func identifiesPerson() async throws {
        try await with { fixture in
            let person = try await fixture.gateway.stores.people.add(
                email: "zoë%1@example.org", name: "Zoë, \"the\" 9%", password: Secret(GatewayFixture.password))
            let token = try await fixture.login("zoë%1@example.org").token.orThrow
            for headers in [GatewayFixture.bearer(token), [("Cookie", "a=b; __Host-latchd_session=\(token)")]] {
                let response = try await ask(fixture, "/photos", headers)
                #expect(response.status == 200)
                #expect(response.headers["X-Auth-User"] == person.id.uuidString.lowercased())
                #expect(response.headers["X-Auth-Email"] == "zo%C3%AB%251@example.org")
                #expect(response.headers["X-Auth-Name"] == "Zo%C3%AB%2C%20%22the%22%209%25")
                #expect(response.headers["X-Auth-Session"]?.utf8.count == 12)
                #expect(response.headers["X-Auth-Groups"] == nil)
                #expect(response.headers["Cache-Control"] == "no-store")
                #expect(response.body.isEmpty)
            }
        }
    }

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

    @Test("A request without a token gets a challenge with the metadata URL; `error` only if a token was sent")
    func challenge() async throws {
        try await with { fixture in
            let bare = try await ask(fixture, "/photos/a?b=c")
            #expect(bare.status == 401)
            #expect(
                bare.headers["WWW-Authenticate"]
                    == #"Bearer realm="latchd", resource_metadata="https://app.example.org/.well-known/oauth-protected-resource/photos/a""#
            )
            #expect(bare.headers["Location"] == nil)

            let unknown = try await ask(fixture, token: String(repeating: "x", count: 43))
            #expect(unknown.status == 401)
            #expect(unknown.headers["WWW-Authenticate"]?.contains(#", error="invalid_token", "#) == true)
            let root = try await ask(fixture, "/")
            #expect(root.headers["WWW-Authenticate"]?.hasSuffix(#"/.well-known/oauth-protected-resource""#) == true)
        }
    }

    @Test("An ended session is refused at once")
    func revoked() async throws {
        try await with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            #expect(try await ask(fixture, token: token).status == 200)
            _ = try await fixture.logout(token)
            #expect(try await ask(fixture, token: token).status == 401)
        }
    }

    @Test("The first matching rule decides who has access")
    func rules() async throws {
        try await with { fixture in
            try await fixture.addPerson()
            try await fixture.addPerson("bob@example.org")
            let ada = try await fixture.token()
            let bob = try await fixture.login("bob@example.org").token.orThrow
            let rows: [(path: String, method: String, none: Int, bob: Int, ada: Int)] = [
                ("/health", "GET", 200, 200, 200), ("/share/a", "POST", 200, 200, 200),
                ("/healthy", "GET", 401, 200, 200),
                ("/feed/1", "GET", 200, 200, 200), ("/feed/1", "HEAD", 200, 200, 200),
                ("/feed/1", "POST", 401, 200, 200),
                ("/admin", "GET", 401, 403, 403), ("/ada/x", "GET", 401, 403, 200), ("/off", "GET", 403, 403, 403),
                ("/share/%3f", "GET", 401, 200, 200), ("/%73hare/a", "GET", 200, 200, 200), ("/", "GET", 401, 200, 200),
            ]
            for row in rows {
                for (token, status) in [(nil, row.none), (bob, row.bob), (ada, row.ada)] {
                    let response = try await ask(fixture, row.path, method: row.method, token: token)
                    #expect(response.status == status, "\(row.method) \(row.path)")
                }
            }
            // Who is signed in is known on public addresses too; who is not is nobody, whatever was sent.
            #expect(try await ask(fixture, "/health", token: ada).headers["X-Auth-User"] != nil)
            let anonymous = try await ask(fixture, "/health", token: "x")
            #expect(anonymous.headers["X-Auth-User"] == nil)
        }
    }

    @Test("The scheme's default port in a rule matches an address without a port")
    func ports() async throws {
        let change: (inout GatewaySettings) -> Void = { settings in
            settings.verify.rules.rules = [
                AccessDraft(hosts: ["app.example.org:443"], allow: .nobody).rule("tls"),
                AccessDraft(hosts: ["app.example.org:8443"], allow: .everybody).rule("other"),
            ]
        }
        try await with(change: change) { fixture in
            for (host, status) in [
                ("app.example.org", 403), ("app.example.org:443", 403), ("APP.example.org:443", 403),
                ("app.example.org:8443", 200), ("app.example.org:80", 401), ("app.example.org.", 400),
            ] {
                let fields = [
                    ("X-Forwarded-Host", host), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"),
                    ("X-Forwarded-Uri", "/"),
                ]
                let response = try await fixture.http.send("GET", "/auth/verify", headers: fields)
                #expect(response.status == status, "\(host)")
            }
        }
    }

    @Test("If no rule matches, either signed-in people have access or no one has")
    func withoutMatchingRule() async throws {
        let other = [("X-Forwarded-Host", "other.example.org")]
        try await with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            #expect(try await askOther(fixture, other, token).status == 200)
        }
        try await with(change: { $0.verify.rules.otherwise = .nobody }) { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            #expect(try await askOther(fixture, other, token).status == 403)
        }
    }

    private func askOther(_ fixture: GatewayFixture, _ host: [(String, String)], _ token: String) async throws
        -> Exchange.Response
    {
        try await fixture.http.send(
            "GET", "/auth/verify",
            headers: host + [
                ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/"),
            ] + GatewayFixture.bearer(token))
    }

    @Test("Groups from the identity provider grant access and are passed to the backend")
    func groups() async throws {
        try await with { fixture in
            let people = fixture.gateway.stores.people
            let provider = ProviderConfiguration(
                id: "home", title: "Home", settings: .init(issuer: "https://home.example", clientID: "latch"),
                allowsRegistration: true)
            func come(_ groups: [String]) async throws -> Person {
                try await people.person(
                    for: .init(
                        issuer: "https://home.example", subject: "1", email: GatewayFixture.email,
                        isEmailVerified: true,
                        groups: groups), at: provider)
            }
            let person = try await come(["admins", "a, b%"])
            let token = try await fixture.gateway.issuer.issue(for: person, device: .init(name: nil, kind: nil)).token
                .reveal()

            let admitted = try await ask(fixture, "/admin", token: token)
            #expect(admitted.status == 200)
            #expect(admitted.headers["X-Auth-Groups"] == "a%2C%20b%25,admins")
            #expect(try await people.identities(of: person.id).map(\.groups) == [["a, b%", "admins"]])

            // The next sign-in renews them, for sessions that are there already too.
            _ = try await come([])
            let refused = try await ask(fixture, "/admin", token: token)
            #expect(refused.status == 403)
            #expect(try await ask(fixture, token: token).headers["X-Auth-Groups"] == nil)
        }
    }

    @Test("A list of groups that is too long for a header is truncated after a complete name")
    func manyGroups() async throws {
        let session = Session(
            id: SessionID(rawValue: "x"),
            person: Person(
                id: UUID(), email: "a@b", name: nil, created: Date(), sessionEpoch: 0, disabled: nil,
                isAdministrator: false,
                isVerified: true), created: Date(), expires: Date(), cap: Date(),
            groups: (100..<300).map { "group-number-\($0)" })

        let list = try #require(ForwardAuthResponses.welcome(AuthenticatedPerson(session)).headers["X-Auth-Groups"])

        #expect(list.utf8.count <= 2048)
        #expect(list.split(separator: ",").allSatisfy { $0.utf8.count == 16 })
    }

    @Test("Only trusted proxies are accepted, and others are logged once a minute")
    func untrusted() async throws {
        try await with(trusted: "192.0.2.0/24") { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for _ in 1...3 { #expect(try await ask(fixture, "/health", token: token).status == 403) }
            #expect(fixture.lines.text.components(of: "not a trusted proxy asked") == 1)
            fixture.clock.advance(61)
            _ = try await ask(fixture, "/health")
            #expect(fixture.lines.text.components(of: "not a trusted proxy asked") == 2)
        }
    }

    @Test(
        "Contradictory, repeated or unreadable fields are refused",
        arguments: [
            [("X-Forwarded-Uri", "/health")], [("X-Forwarded-Host", "app.example.org")], [("x-forwarded-host", "evil")],
            [("X-Forwarded-Proto", "http")], [("X-Forwarded-Method", "GET")], [("X-Original-URI", "/other")],
            [("X-Original-URL", "https://other.example/health")], [("X-Original-URL", "https://app.example.org/x")],
            [("X-Original-URL", "http://app.example.org/health")], [("X-Original-URL", "/health")],
            [("X-Original-Method", "POST")], [("X-Rewrite-URL", "/admin")], [("X-HTTP-Method-Override", "DELETE")],
            [("X-Method-Override", "PUT")], [("X-HTTP-Method", "PUT")],
            [("X-Original-URI", "/health"), ("X-Original-URI", "/health")], [("X-Original-URI", "")],
            [("X-Original-URL", "https://user@app.example.org/health")],
        ])
    func contradictory(more: [(String, String)]) async throws {
        try await with { (fixture: GatewayFixture) async throws in
            #expect(try await ask(fixture, "/health", more).status == 400)
        }
    }

    @Test("Both kinds of field names are accepted, also together if they agree")
    func spellings() async throws {
        try await with { (fixture: GatewayFixture) async throws in
            let url = [("X-Original-URL", "https://app.example.org/health?x=1"), ("X-Original-Method", "GET")]
            #expect(try await fixture.http.send("GET", "/auth/verify", headers: url).status == 200)
            let uri = [
                ("X-Original-URI", "/health"), ("X-Original-Method", "GET"),
                ("X-Forwarded-Host", "App.Example.org:443"),
                ("X-Forwarded-Proto", "https"),
            ]
            #expect(try await fixture.http.send("GET", "/auth/verify", headers: uri).status == 200)
            #expect(try await ask(fixture, "/health", uri.dropLast(2) + []).status == 200)
        }
    }

    @Test("A request without one of the fields is refused, and a missing host is logged")
    func incomplete() async throws {
        try await with { (fixture: GatewayFixture) async throws in
            let all = [
                ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"),
                ("X-Forwarded-Uri", "/health"),
            ]
            for left in all.indices {
                var remaining = all
                remaining.remove(at: left)
                #expect(try await fixture.http.send("GET", "/auth/verify", headers: remaining).status == 400)
            }
            #expect(fixture.lines.text.components(of: "did not send the host") == 1)
        }
    }

    @Test(
        "An ambiguous path is refused, signed in or not, and for nginx always with 403",
        arguments: [
            "/share/../admin", "/share/%2e%2e/admin", "/share//x", "/share/..;/admin", "/share;x/a",
            "/share%2f..%2fadmin",
            "/share/%5c..%5cadmin", "/share\\..\\admin", "/share/%252e%252e/admin", "/share/./x", "/share/%00",
            "/share/%",
            "/admin%3Fx", "/admin%23/x", "/off%23/x", "/health%3f", "/share%3F/x", "/ada%3F%23",
            "/share/#/x", "share/x", "*", "https://app.example.org/share/x", "/share/\u{c3}\u{a4}",
        ])
    func ambiguousPaths(path: String) async throws {
        try await with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for token in [nil, token] {
                #expect(try await ask(fixture, path, token: token).status == 400)
                #expect(try await ask(fixture, path, token: token, query: "?proxy=nginx").status == 403)
            }
        }
    }

    @Test("A browser is redirected to the sign-in with a return address, on the host that the cookie covers")
    func browser() async throws {
        try await with { fixture in
            let response = try await ask(fixture, "/photos?a=1&b=2", Self.browser)
            #expect(response.status == 302)
            #expect(
                response.headers["Location"]
                    == "https://app.example.org/latch/sign-in?return=%2Fphotos%3Fa%3D1%26b%3D2")
            let nginx = try await ask(fixture, query: "?proxy=nginx", Self.browser)
            #expect(nginx.status == 401)
            #expect(nginx.headers["Location"] == "https://app.example.org/latch/sign-in?return=%2Fphotos")
            #expect(nginx.headers["WWW-Authenticate"] != nil)
        }
        try await with(cookieDomain: "example.org") { fixture in
            let response = try await ask(fixture, "/photos?a", Self.browser)
            #expect(
                response.headers["Location"]
                    == "https://id.example.org/latch/sign-in?return=https%3A%2F%2Fapp.example.org%2Fphotos%3Fa")
            let long = try await ask(fixture, "/" + String(repeating: "a", count: 4000), Self.browser)
            #expect(
                long.headers["Location"]
                    == "https://id.example.org/latch/sign-in?return=https%3A%2F%2Fapp.example.org%2F")
        }
    }

    @Test("Scripts, apps and other methods get 401, whatever they accept")
    func nonBrowsers() async throws {
        try await with { (fixture: GatewayFixture) async throws in
            let rows: [[(String, String)]] = [
                [("Accept", "application/json")], [("Accept", "*/*")], [("Accept", "text/html;q=0")], [],
                Self.browser + [("X-Requested-With", "XMLHttpRequest")], Self.browser + [("Sec-Fetch-Mode", "cors")],
                Self.browser + [("Sec-Fetch-Dest", "iframe")], Self.browser + [("Authorization", "Basic eA==")],
            ]
            for row in rows { #expect(try await ask(fixture, "/photos", row).status == 401, "\(row)") }
            #expect(try await ask(fixture, method: "POST", Self.browser).status == 401)
            let page = Self.browser + [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
            #expect(try await ask(fixture, "/photos", page).status == 302)
        }
        try await with(pages: false) { (fixture: GatewayFixture) async throws in
            #expect(try await ask(fixture, "/photos", Self.browser).status == 401)
        }
    }

    @Test("The proxy may use any method, and the method in its fields counts")
    func methods() async throws {
        try await with { (fixture: GatewayFixture) async throws in
            for method in ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "REPORT"] {
                let fields = [
                    ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"),
                    ("X-Forwarded-Method", "POST"),
                    ("X-Forwarded-Uri", "/feed/1"),
                ]
                #expect(try await fixture.http.send(method, "/auth/verify", headers: fields, body: "").status == 401)
            }
        }
    }

    @Test("RFC 9728 the metadata of a protected resource contain its URL and the authorization server")
    func metadata() async throws {
        try await with { fixture in
            let fields = [("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https")]
            for (path, resource) in [("", ""), ("/", ""), ("/photos/a", "/photos/a"), ("/a/b/c/d/", "/a/b/c/d/")] {
                let response = try await fixture.http.send("GET", ForwardAuthRoutes.wellKnown + path, headers: fields)
                #expect(response.status == 200)
                #expect(response.json?["resource"]?.string == "https://app.example.org" + resource)
                #expect(response.json?["latchd_server"]?.string == "https://id.example.org/api")
                // There is no OAuth server that a general client could use.
                #expect(response.json?["authorization_servers"] == nil)
                #expect(response.json?["bearer_methods_supported"]?.array?.compactMap(\.string) == ["header"])
            }
            // The metadata of that server are served.
            let server = try await fixture.http.send("GET", "/.well-known/latchd/api")
            #expect(server.json?["issuer"]?.string == "https://id.example.org/api")
            for host in ["other.example.org", "app.example.org.evil", "app.example.org\""] {
                let fields = [("X-Forwarded-Host", host), ("X-Forwarded-Proto", "https")]
                #expect(try await fixture.http.send("GET", ForwardAuthRoutes.wellKnown, headers: fields).status == 421)
            }
            #expect(
                try await fixture.http.send("GET", ForwardAuthRoutes.wellKnown + "/a%2fb", headers: fields).status
                    == 404)
        }
    }

    @Test("A cookie for all hosts of a domain has the Domain attribute and the __Secure- prefix")
    func cookie() {
        let address = PublicAddress("https://id.example.org", isTLS: false)
        var settings = GatewaySettings(databasePath: nil)
        let own = SessionCookie(address, settings)
        settings.verify.cookieDomain = "example.org"
        let shared = SessionCookie(address, settings)
        #expect(shared.name == "__Secure-latchd_session")
        #expect(shared.set(Secret("x")).contains("; Domain=example.org;"))
        #expect(shared.end.contains("; Domain=example.org;"))
        #expect(own.name == "__Host-latchd_session")
        #expect(!own.set(Secret("x")).contains("Domain"))
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
