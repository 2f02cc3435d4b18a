import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// `latchd clients` as an operator types it.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct ClientCommandTests {
    private static let keys =
        #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#

    @Test func `clients are added, listed with those of the configuration, removed, and recorded`() async throws {
        let folder = try TemporaryDirectory()
        let fixture = try SystemFixture([
            "LATCHD_OAUTH_CLIENTS_WIKI_REDIRECTS": "https://wiki.example/back",
            "LATCHD_AUDIT_LOG": folder.file("audit"),
        ])
        let person = try await fixture.latchd(
            "user", "add", SystemFixture.email, "--password-stdin", input: SystemFixture.password + "\n")
        #expect(person.status == 0, "\(person.errors)")
        let added = try await fixture.latchd(
            "clients", "add", "--name", "My notes", "--redirect", "https://notes.example/back", "--redirect",
            "com.example.notes:/back", "--confidential", "--json")
        let client = try added.json()
        let id = try #require(client["id"]?.string)
        let secret = try #require(client["secret"]?.string)
        #expect(added.status == 0 && secret.utf8.count == 43)

        let app = try await fixture.latchd("clients", "add", "--name", "App", "--redirect", "http://127.0.0.1/back")
        try folder.write(Self.keys, to: "keys.json")
        let signed = try await fixture.latchd(
            "clients", "add", "--name", "Signed", "--redirect", "https://signed.example/back", "--jwks",
            folder.file("keys.json"), "--access-tokens", "jwt", "--sign-out-redirect", "https://signed.example/bye",
            "--sign-out-address", "https://signed.example/out", "--dpop", "--json")
        let signedClient = try signed.json()
        #expect(signedClient["authentication"] == "private_key_jwt" && signedClient["secret"] == nil)
        #expect(signedClient["accessTokens"] == "jwt" && signedClient["requiresDPoP"] == true)
        #expect(signedClient["signOutRedirects"] == ["https://signed.example/bye"])
        #expect(signedClient["signOutAddress"] == "https://signed.example/out")
        let signedRow = try await fixture.latchd("clients", "list").output.split(separator: "\n").first {
            $0.contains("Signed")
        }
        #expect(signedRow?.contains("jwt, DPoP") == true && signedRow?.contains("https://signed.example/out") == true)
        #expect(try await fixture.latchd("clients", "remove", signedClient["id"]?.string ?? "").status == 0)
        let lines = app.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == "Added the client 'App'." && lines[1].hasPrefix("  id      "))

        let list = try await fixture.latchd("clients", "list", "--json")
        let listed = try #require(try list.json().array)
        #expect(listed.map { $0["name"]?.string } == ["wiki", "App", "My notes"])
        #expect(listed.map { $0["isConfigured"]?.bool } == [true, false, false])
        #expect(listed.map { $0["isConfidential"]?.bool } == [false, false, true])
        #expect(listed[2]["redirects"]?.array?.count == 2 && listed[2]["secret"] == nil)
        let table = try await fixture.latchd("clients", "list")
        #expect(table.output.contains("in the configuration") && table.output.contains(id))
        #expect(!list.output.leaks(secret) && !table.output.leaks(secret))

        let removed = try await fixture.latchd("clients", "remove", id)
        #expect(removed.output == "Removed the client and ended 0 sessions.\n")
        #expect(try await fixture.latchd("clients", "remove", id).status == 66)
        let configured = try await fixture.latchd("clients", "remove", "wiki")
        #expect(configured.status == 66 && configured.errors.contains("remove 'oauth.clients.wiki' there"))
        #expect(try await fixture.latchd("clients", "list", "--ids").output.split(separator: "\n").count == 2)

        let audit = try String(contentsOfFile: folder.file("audit"), encoding: .utf8)
        #expect(audit.split(separator: "\n").count == 6 && !audit.leaks(secret))
        #expect(audit.contains("client-added") && audit.contains("client-removed") && audit.contains(id))
    }

    @Test func `settings are given with a client, shown, changed, reset, and checked`() async throws {
        let folder = try TemporaryDirectory()
        let fixture = try SystemFixture([
            "LATCHD_OAUTH_CLIENTS_WIKI_REDIRECTS": "https://wiki.example/back",
            "LATCHD_OAUTH_CLIENTS_WIKI_GROUPS": "staff,admins", "LATCHD_AUDIT_LOG": folder.file("audit"),
        ])
        let person = try await fixture.latchd(
            "user", "add", SystemFixture.email, "--password-stdin", input: SystemFixture.password + "\n")
        #expect(person.status == 0, "\(person.errors)")
        let added = try await fixture.latchd(
            "clients", "add", "--name", "Notes", "--redirect", "https://notes.example/back", "--group", "staff",
            "--group", "Domain Users", "--max-age", "5m", "--access-token-lifetime", "2m", "--refresh-tokens", "false",
            "--json"
        ).json()
        let id = try #require(added["id"]?.string)
        #expect(added["settings"]?["groups"] == ["staff", "Domain Users"] && added["settings"]?["max_age"] == "5m")
        #expect(added["settings"]?["refresh_tokens"] == "false" && added["settings"]?["allow"] == "signed-in")
        #expect(try await fixture.latchd("clients", "show", id, "--json").json()["settings"] == added["settings"])
        let shown = try await fixture.latchd("clients", "show", id).output
        #expect(shown.contains("groups: staff, Domain Users") && shown.contains("max_age: 5m"))
        let listed = try #require(try await fixture.latchd("clients", "list", "--json").json().array)
        #expect(listed.map { $0["settings"]?["groups"] } == [["staff", "admins"], ["staff", "Domain Users"]])
        #expect(try await fixture.latchd("clients", "list").output.contains("groups: staff, admins"))

        let changed = try await fixture.latchd(
            "clients", "set", id, "--reset", "group", "--reset", "refresh-tokens", "--user", SystemFixture.email,
            "--require-pushed-authorization-requests", "true", "--json"
        ).json()
        #expect(changed["settings"]?["groups"] == [] && changed["settings"]?["users"] == [.string(SystemFixture.email)])
        #expect(changed["settings"]?["refresh_tokens"] == "true" && changed["settings"]?["max_age"] == "5m")
        #expect(changed["settings"]?["require_pushed_authorization_requests"] == "true")

        let wrong: [([String], Int32, String)] = [
            (["set", id], 64, "give at least one option"),
            (
                ["set", id, "--max-age", "soon"], 64,
                "--max-age 'soon' is not valid: it must be none, or a time from 30s"
            ),
            (
                ["set", id, "--reset", "groups"], 64,
                "--reset 'groups' is not valid: it must be one of allow, user, group"
            ),
            (["set", id, "--allow", "nobody"], 65, "allow is nobody, but users or groups are named"),
            (["set", id, "--access-token-lifetime", "1h"], 65, "longer than oauth.access_token_lifetime"),
            (["set", id, "--scope", "mails"], 65, "which the server does not know"),
            (["set", "wiki", "--allow", "nobody"], 66, "change 'oauth.clients.wiki' there"),
            (["set", "none", "--allow", "nobody"], 66, "No client has the id 'none'"),
            (["show", "none"], 66, "No client has the id 'none'"),
            (["approve", id], 66, "No client that registered itself has the id"),
            (["refuse", "none"], 66, "No client that registered itself has the id"),
        ]
        for (arguments, status, text) in wrong {
            let answer = try await fixture.latchd(["clients"] + arguments)
            #expect(answer.status == status && answer.errors.contains(text), "\(arguments): \(answer.errors)")
        }
        #expect(try await fixture.latchd("clients", "show", id, "--json").json()["settings"] == changed["settings"])
        let audit = try String(contentsOfFile: folder.file("audit"), encoding: .utf8)
        #expect(audit.components(separatedBy: "client-changed").count == 2)
    }

    @Test(arguments: ["SQLite", "PostgreSQL"])
    func `a client that registered itself is approved, refused and approved again while the gateway runs`(
        product: String
    ) async throws {
        let folder = try TemporaryDirectory()
        let port = try HeldPort()
        let base = try SystemFixture([
            "LATCHD_PUBLIC_URL": "http://127.0.0.1:\(port.number)", "LATCHD_PAGES_ENABLED": "true",
            "LATCHD_OAUTH_ENABLED": "true", "LATCHD_OAUTH_REGISTRATION_ENABLED": "true",
            "LATCHD_OAUTH_REGISTRATION_APPROVAL": "required", "LATCHD_AUDIT_LOG": folder.file("audit"),
        ])
        let isServer = product == "PostgreSQL"
        let fixture = base.with(
            database: isServer
                ? try await PostgreSQLServer.running().createDatabase() : base.folder.file("own/latchd.db"))
        let gateway = try await fixture.startGatewayWithPerson(port: port.number)
        let http = try HTTPClient()
        try await attempt {
            let metadata =
                #"{"redirect_uris":["https://tv.example/back"],"client_name":"TV","#
                + #""token_endpoint_auth_method":"none"}"#
            let registered = try await http.send(
                ClientRequest(
                    method: .post, url: gateway.address + "/oauth2/register",
                    headers: ["Content-Type": JSON.mediaType], body: Array(metadata.utf8)))
            let id = try #require(try JSONValue(parsing: registered.body)["client_id"]?.string)
            func approval() async throws -> JSONValue? {
                let list = try await fixture.latchd("clients", "list", "--json").json().array
                return list?.first { $0["id"]?.string == id }?["approval"]
            }
            /// What a person reads who follows the client's link, until this text is there.
            func read(_ text: String) async throws {
                let query = FormURLEncoded.encode([
                    ("response_type", "code"), ("client_id", id), ("redirect_uri", "https://tv.example/back"),
                    ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
                    ("code_challenge_method", "S256"),
                ])
                let answers = ["username": SystemFixture.email, "password": SystemFixture.password]
                _ = try await FormBrowser(http).follow(
                    gateway.address + "/oauth2/authorize?" + query, answers: answers, untilPageWith: text)
            }
            #expect(try await approval() == "waiting")
            try await read("TV waits for approval by an administrator")

            let approved = try await fixture.latchd("clients", "approve", id)
            #expect(approved.output.hasPrefix("Approved the client 'TV'. People can sign in to it.\n"), "\(approved)")
            #expect(approved.output.contains("  redirect   https://tv.example/back\n"), "\(approved)")
            #expect(approved.output.contains("  kind       public, approved\n"), "\(approved)")
            #expect(try await approval() == "approved")
            try await read("Allow TV?")

            let refused = try await fixture.latchd("clients", "refuse", id)
            #expect(
                refused.output.hasPrefix(
                    "Refused the client 'TV'. Nobody can sign in to it, and its sessions ended.\n"),
                "\(refused)")
            #expect(try await approval() == "refused")
            try await read("TV was refused by an administrator")

            let digest = try #require(
                try await fixture.latchd("clients", "show", id, "--json").json()["digest"]?.string)
            let other = try await fixture.latchd("clients", "approve", id, "--digest", String(digest.reversed()))
            #expect(other.status == 1 && other.errors.contains("has changed since it was shown"), "\(other)")
            #expect(try await approval() == "refused")
            #expect(try await fixture.latchd("clients", "approve", id, "--digest", digest).status == 0)
            #expect(try await fixture.latchd("clients", "remove-unverified").output.hasPrefix("Removed 0 unverified"))
            #expect(try await fixture.latchd("clients", "approve", id).status == 0, "It is approved already.")
            try await read("Allow TV?")
            let audit = try String(contentsOfFile: folder.file("audit"), encoding: .utf8)
            #expect(audit.components(separatedBy: #""client-approved""#).count == 3)
            #expect(audit.components(separatedBy: #""client-refused""#).count == 2)
        } finally: {
            await http.close()
            await gateway.kill()
        }
    }

    @Test func `a client needs a name and a valid redirect`() async throws {
        let fixture = try SystemFixture()
        let wrong: [([String], String)] = [
            (["--redirect", "a:/b"], "give --name NAME"), (["--name", "App"], "give --redirect ADDRESS"),
            (["--name", "App", "--redirect", "http://notes.example/"], "is not valid: without encryption only"),
            (["--name", "App", "--redirect", "https://notes.example/#x"], "it must not have a fragment"),
            (["--name", "a\nb", "--redirect", "a:/b"], "of 1 to 80 visible characters"),
            (["--name", "App", "--redirect", "a:/b", "--jwks", "x", "--confidential"], "has no secret"),
            (["--name", "App", "--redirect", "a:/b", "--access-tokens", "JWT"], "one of opaque, jwt"),
            (
                ["--name", "App", "--redirect", "a:/b", "--sign-out-address", "a:/b"],
                "--sign-out-address 'a:/b' is not valid: it must begin with 'https://'"
            ),
            (
                ["--name", "App", "--redirect", "a:/b", "--sign-out-redirect", "https://a.example/#x"],
                "--sign-out-redirect 'https://a.example/#x' is not valid: it must not have a fragment"
            ),
        ]
        for (words, message) in wrong {
            let result = try await fixture.latchd(["clients", "add"] + words)
            #expect(result.status == 64 && result.errors.contains(message), "\(words): \(result.errors)")
        }
        let folder = try TemporaryDirectory()
        try folder.write("{}", to: "keys.json")
        let add = ["clients", "add", "--name", "App", "--redirect", "a:/b", "--jwks"]
        #expect(
            try await fixture.latchd(add + [folder.file("keys.json")]).errors.contains("must be a JSON Web Key Set"))
        #expect(try await fixture.latchd(add + [folder.file("gone")]).errors.contains("Check that the file exists"))
        let none = try await fixture.latchd("clients", "list")
        #expect(none.status == 66 && none.errors.contains("latchd user add"), "\(none)")
    }
}
