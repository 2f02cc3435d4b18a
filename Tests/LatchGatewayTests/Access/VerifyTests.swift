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

/// Who has access, and what the backend is told.
@Suite("Forward authentication", .timeLimit(.minutes(20)))
struct VerifyTests: AsksForwardAuth {
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

    @Test("Groups of a provider that is no longer configured, or whose groups are not read, count no more")
    func groupsOfRemovedProvider() async throws {
        let folder = try TemporaryDirectory()
        var settings = try await GatewayFixture.settings(in: folder)
        func provider(_ id: String, issuer: String = "https://home.example", claim: String? = "groups")
            -> ProviderConfiguration
        {
            ProviderConfiguration(
                id: id, title: id,
                settings: .init(issuer: issuer, clientID: "latch", groupsClaim: claim), allowsRegistration: true)
        }
        let all = ["home", "removed", "moved", "unread"].map { provider($0) }
        settings.providers = all
        var gateway = try await Gateway.open(settings, logWriter: LogWriter { _ in })
        var people: [String: Person] = [:]
        var tokens: [String: String] = [:]
        for provider in all {
            let person = try await gateway.stores.people.person(
                for: .init(
                    issuer: "https://home.example", subject: provider.id, email: "\(provider.id)@example.org",
                    isEmailVerified: true, groups: ["admins"]), at: provider)
            people[provider.id] = person
            tokens[provider.id] = try await gateway.issuer.issue(for: person, device: .init(name: nil, kind: nil)).token
                .reveal()
        }
        await gateway.close()

        settings.providers = [
            provider("home"), provider("moved", issuer: "https://new.example"), provider("unread", claim: nil),
        ]
        gateway = try await Gateway.open(settings, logWriter: LogWriter { _ in })
        for id in all.map(\.id) {
            guard case .valid(let session) = try await gateway.issuer.authenticate(tokens[id].orThrow) else {
                Issue.record("\(id) has no session.")
                continue
            }
            #expect(session.groups == (id == "home" ? ["admins"] : []), "\(id)")
            let stored = try await gateway.stores.people.identities(of: people[id].orThrow.id).map(\.groups)
            #expect(stored == [session.groups], "\(id)")
        }
        await gateway.close()
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

        let list = try #require(
            ForwardAuthResponses.welcome(AuthenticatedPerson(session), hidesAuthorization: false).headers[
                "X-Auth-Groups"])

        #expect(list.utf8.count <= 2048)
        #expect(list.split(separator: ",").allSatisfy { $0.utf8.count == 16 })
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
}
