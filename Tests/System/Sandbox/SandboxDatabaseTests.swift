import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import OAuth
import ServerMessages
import TestSupport
import Testing

/// `latchd`'s commands beside gateways that run: those of the real sandbox, on its databases.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct SandboxDatabaseTests {
    private struct Fixture {
        let sandbox: RunningSandbox
        let http: HTTPClient
        let url: String
        /// Where the commands find the gateway's database.
        let fixture: SystemFixture

        func get(_ path: String, _ authorization: String) async throws -> ClientResponse {
            try await http.send(ClientRequest(url: url + path, headers: ["Authorization": authorization]))
        }
    }

    private func with(_ name: String, _ body: (Fixture) async throws -> Void) async throws {
        let fixture = try SystemFixture()
        let inside = SystemFixture(sharing: fixture, ["TMPDIR": fixture.folder.path])
        let sandbox = try await RunningSandbox(inside)
        let http = try HTTPClient()
        try await attempt {
            let folders = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
            let folder = try #require(folders.first { $0.hasPrefix("latchd-sandbox") })
            let commands = SystemFixture(
                sharing: fixture, ["LATCHD_DATABASE": fixture.folder.file("\(folder)/\(name).db")])
            let url = try #require(sandbox.json[name]?["url"]?.string)
            try await body(Fixture(sandbox: sandbox, http: http, url: url, fixture: commands))
        } finally: {
            await http.close()
            await sandbox.end()
        }
    }

    private static let ada = [
        ("email", "ada@example.org"), ("password", "ada-plays-in-the-sandbox"), ("action", "allow"),
    ]

    @Test("The provider's groups are shown by 'user show' and grant access after a sign-in through the provider")
    func groups() async throws {
        try await with("backend") { bench in
            let form = FormURLEncoded.encode([("username", Self.ada[0].1), ("password", Self.ada[1].1)])
            let signedIn = try await bench.http.send(
                ClientRequest(
                    method: .post, url: bench.url + "/api/auth/mobile/login",
                    headers: ["Content-Type": FormURLEncoded.mediaType], body: Array(form.utf8)))
            let before = try #require(try JSONValue(parsing: signedIn.body)["access_token"]?.string)
            #expect(try await bench.get("/backend/admins/x", "Bearer \(before)").status == .forbidden)
            let none = try await bench.fixture.latchd("user", "show", "ada@example.org")
            #expect(none.status == 0 && !none.output.contains("groups"))

            let app = BrowserlessSignIn(onyx: bench.url, http: bench.http)
            let link = try #require(try BrowserlessSignIn.deepLink(try await app.run(Self.ada)))
            let response = try await app.exchange(link["code"] ?? "")
            let token = try #require(try JSONValue(parsing: response.body)["access_token"]?.string)

            let seen = try await bench.get("/backend/admins/x", "Bearer \(token)")
            #expect(seen.status == .ok)
            #expect(try JSONValue(parsing: seen.body)["groups"]?.string == "admins")
            let shown = try await bench.fixture.latchd("user", "show", "ada@example.org")
            #expect(shown.status == 0 && shown.output.contains(", groups admins"), "\(shown)")
            let json = try await bench.fixture.latchd("user", "show", "ada@example.org", "--json")
            let groups = try json.json()["identities"]?.array?.first?["groups"]
            #expect(groups?.array?.map(\.string) == ["admins"])
        }
    }

    @Test(
        "RM-8 API keys are listed without the key, and revoked singly, per person, or with the sessions"
    )
    func keys() async throws {
        try await with("relate-mail") { bench in
            let latchd = bench.fixture.latchd
            #expect(try await latchd(["api-keys", "list"]).output == "No keys.\n")
            #expect(try await latchd(["api-keys", "list", "--json"]).output == "[]\n")
            let token = try await accessToken(bench)
            let keys = [try await key(bench, token), try await key(bench, token), try await key(bench, token)]

            let list = try await latchd(["api-keys", "list"])
            #expect(list.status == 0 && list.output.split(separator: "\n").count == 4, "\(list)")
            #expect(list.output.contains("ada@example.org") && list.output.contains("a desk"))
            let json = try await latchd(["api-keys", "list", "--json", "--person", "ADA@example.org"])
            let rows = try #require(try json.json().array)
            #expect(Set(rows.compactMap { $0["id"]?.string }) == Set(keys.map(\.id)))
            #expect(rows.allSatisfy { $0["scopes"]?.array?.map(\.string) == ["app"] })
            for key in keys { #expect(!list.output.leaks(key.apiKey) && !json.output.leaks(key.apiKey)) }
            let bobs = try await latchd(["api-keys", "list", "--person", "bob@example.org"])
            #expect(bobs.status == 0 && bobs.output == "No keys.\n")

            let one = try await latchd(["api-keys", "revoke", keys[0].id])
            #expect(one.status == 0 && one.output == "Revoked 1 key.\n")
            try await untilRefused(keys[0], bench)
            #expect(try await bench.get("/api/profile", "ApiKey \(keys[1].apiKey)").status == .ok)
            let again = try await latchd(["api-keys", "revoke", keys[0].id])
            #expect(again.status == 66 && again.errors.contains("No valid key has the id '\(keys[0].id)'"))
            let all = try await latchd(["api-keys", "revoke", "--person", "ada@example.org"])
            #expect(all.status == 0 && all.output == "Revoked 2 keys.\n")
            try await untilRefused(keys[1], bench)

            let last = try await key(bench, token)
            let everywhere = try await latchd(["sessions", "revoke", "--user", "ada@example.org"])
            #expect(everywhere.status == 0 && everywhere.output.hasSuffix(" and 1 API key.\n"), "\(everywhere)")
            try await untilRefused(last, bench)
            #expect(try await latchd(["api-keys", "list"]).output == "No keys.\n")
        }
    }

    @Test(
        "Invalid arguments of 'api-keys' are reported in one sentence with an exit code",
        arguments: [
            (["revoke"], 64, "give exactly one of ID and --person EMAIL"),
            (["revoke", "x", "--person", "ada@example.org"], 64, "give exactly one of ID and --person EMAIL"),
            (["revoke", "x\u{1B}[31m"], 66, "is not the id of a key. List the keys: latchd api-keys list"),
            (["revoke", "00000000-0000-0000-0000-000000000000"], 66, "No valid key has the id"),
            (["revoke", "--person", "nobody@example.org"], 66, "nobody@example.org"),
            (["list", "--person", "nobody@example.org"], 66, "nobody@example.org"),
            (["list", "x"], 64, "it takes no arguments"),
            (["make"], 64, "make"),
        ] as [([String], Int32, String)])
    func invalidArguments(words: [String], status: Int32, sentence: String) async throws {
        let fixture = try SystemFixture()
        try await fixture.add("ben")
        let result = try await fixture.latchd(["api-keys"] + words)
        #expect(result.status == status && result.output.isEmpty && result.errors.contains(sentence), "\(result)")
        #expect(!result.errors.contains("\u{1B}"))
    }

    /// Another program's revocation is noticed soon, see `Gateway.noticeInterval`.
    private func untilRefused(_ key: RelateMailCreatedKey, _ bench: Fixture) async throws {
        while try await bench.get("/api/profile", "ApiKey \(key.apiKey)").status != .unauthorized {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func key(_ bench: Fixture, _ token: String) async throws -> RelateMailCreatedKey {
        let body: JSONValue = ["deviceName": "a desk", "platform": "linux"]
        let response = try await bench.http.send(
            ClientRequest(
                method: .post, url: bench.url + "/api/smtp-credentials/mobile",
                headers: ["Content-Type": JSON.mediaType, "Authorization": "Bearer \(token)"], body: body.encoded()))
        return try JSON.decode(RelateMailCreatedKey.self, from: response.body)
    }

    /// The provider's access token for the app, as the app gets it.
    private func accessToken(_ bench: Fixture) async throws -> String {
        let redirect = "relate-mail://auth/callback"
        let verifier = PKCE.Verifier()
        let query = FormURLEncoded.encode([
            ("client_id", "relate-mail"), ("redirect_uri", redirect), ("response_type", "code"),
            ("scope", "openid email profile"), ("code_challenge", verifier.challenge.text),
            ("code_challenge_method", "S256"), ("state", State().text),
        ])
        let page = try await post(bench, "/authorize?" + query, Self.ada)
        let link = try #require(page.headers["Location"])
        let fields = try FormURLEncoded.decode(String(link.dropFirst(redirect.count + 1)))
        let tokens = try await post(
            bench, "/token",
            [
                ("grant_type", "authorization_code"), ("code", fields["code"] ?? ""), ("redirect_uri", redirect),
                ("client_id", "relate-mail"), ("code_verifier", verifier.secret.reveal()),
            ])
        return try #require(try JSONValue(parsing: tokens.body)["access_token"]?.string)
    }

    private func post(_ bench: Fixture, _ path: String, _ fields: [(String, String)]) async throws -> ClientResponse {
        try await bench.http.send(
            ClientRequest(
                method: .post, url: bench.sandbox.issuer + path, headers: ["Content-Type": FormURLEncoded.mediaType],
                body: Array(FormURLEncoded.encode(fields).utf8)))
    }
}
