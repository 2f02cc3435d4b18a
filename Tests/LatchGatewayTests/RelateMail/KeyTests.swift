import Crypto
import FoundationEssentials
import HTTPMessages
import ServerMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayDialects

/// Keys of programs: made, used, listed, revoked.
@Suite(.timeLimit(.minutes(20))) struct RelateMailKeyTests {
    private static let all = ["smtp", "pop3", "imap", "api:read", "api:write", "app"]

    @Test("RM-6 a token of the provider creates a key with all scopes, and the 200 response contains it once")
    func makeKey() async throws {
        try await RelateMailFixture.with { fixture in
            let response = try await fixture.make(fixture.bearer(), name: "my phone")

            let made = try JSON.decode(RelateMailCreatedKey.self, from: response.body)
            #expect(response.status == 200 && response.headers["Cache-Control"] == "no-store")
            #expect(made.name == "my phone" && made.scopes == Self.all)
            #expect(UUID(uuidString: made.id)?.uuidString.lowercased() == made.id)
            #expect(made.apiKey.utf8.count == 44 && made.apiKey.hasSuffix("="))
            #expect(Data(base64Encoded: made.apiKey)?.count == 32)
            #expect(made.createdAt.hasSuffix("+00:00") && made.createdAt.contains("."))

            let list = try await fixture.send("GET", RelateMailFixture.credentials, "ApiKey \(made.apiKey)")
            #expect(!list.text.leaks(made.apiKey))
            #expect(!fixture.base.lines.text.leaks(made.apiKey))
            let event = try #require(fixture.events("api-key-made").first)
            #expect(event["key"]?.string == made.id && event["provider"] == "sso" && event["reason"] == "by-token")
        }
    }

    @Test("RM-6 the specification's scopes are requested by name and returned as they were sent")
    func scopes() async throws {
        try await RelateMailFixture.with { fixture in
            let token = try fixture.bearer()
            #expect(try await fixture.make(token, scopes: Self.all).json?["scopes"]?.array?.count == 6)
            #expect(try await fixture.make(token, scopes: []).json?["scopes"]?.array?.count == 6)
            #expect(try await fixture.make(token, scopes: ["APP", "app"]).json?["scopes"] == ["APP", "app"])

            let unknown = try await fixture.make(token, scopes: ["app", "root"])
            #expect(unknown.status == 400)
            #expect(
                unknown.json?["error"]
                    == "Invalid scope: root. Valid scopes are: smtp, pop3, imap, api:read, api:write, app")
        }
    }

    @Test("RM-6 a key's name has 1 to 100 characters, and an invalid body is reported with the member")
    func names() async throws {
        try await RelateMailFixture.with { fixture in
            let token = try fixture.bearer()
            #expect(try await fixture.make(token, name: " \t ").json?["error"] == "Name is required")
            #expect(try await fixture.make(token, name: String(repeating: "x", count: 100)).status == 200)
            let long = try await fixture.make(token, name: String(repeating: "x", count: 101))
            #expect(long.status == 400 && long.json?["error"] == "Name must be 100 characters or less")

            let missing = try await fixture.send("POST", RelateMailFixture.credentials, token, ["scopes": []])
            #expect(missing.status == 400 && missing.headers["Content-Type"] == "application/problem+json")
            #expect(missing.json?["title"] == "One or more validation errors occurred.")
            #expect(missing.json?["errors"]?["name"]?.array?.isEmpty == false)
            for body: JSONValue in [
                "text", ["name": 1], ["name": "x", "scopes": "app"], ["name": "x", "scopes": [1]],
            ] {
                let response = try await fixture.send("POST", RelateMailFixture.credentials, token, body)
                #expect(response.status == 400 && response.json?["errors"] != nil, "\(body)")
            }
        }
    }

    @Test("RM-6 an app's key has one scope and the device's name; Linux is accepted besides the real platforms")
    func mobile() async throws {
        try await RelateMailFixture.with { fixture in
            let token = try fixture.bearer()
            let path = RelateMailFixture.credentials + "/mobile"
            for platform in ["ios", "android", "windows", "macos", "web", "linux", "iOS"] {
                let body: JSONValue = ["deviceName": "Ada's", "platform": .string(platform)]
                let response = try await fixture.send("POST", path, token, body)
                #expect(response.status == 200 && response.json?["scopes"] == ["app"], "\(platform)")
                #expect(response.json?["name"]?.string == "Mobile App - Ada's (\(platform))")
            }
            let long: JSONValue = ["deviceName": .string(String(repeating: "y", count: 95)), "platform": "ios"]
            #expect(try await fixture.send("POST", path, token, long).json?["name"]?.string?.count == 100)

            let bad: JSONValue = ["deviceName": "x", "platform": "amiga"]
            let refused = try await fixture.send("POST", path, token, bad)
            #expect(refused.status == 400)
            #expect(
                refused.json?["error"]
                    == "Invalid platform: amiga. Valid platforms are: ios, android, windows, macos, web, linux")
            let nameless = try await fixture.send("POST", path, token, ["platform": "ios"])
            #expect(nameless.status == 400 && nameless.json?["error"] == "DeviceName is required")
            let withoutPlatform = try await fixture.send("POST", path, token, ["deviceName": "x"])
            #expect(withoutPlatform.status == 400 && withoutPlatform.json?["error"] == "Platform is required")
        }
    }

    @Test("RM-6 web routes accept a key as ApiKey or Bearer in any case, with api:read, api:write or app")
    func schemes() async throws {
        try await RelateMailFixture.with { fixture in
            for scope in ["api:read", "api:write", "app"] {
                let key = try await fixture.key([scope]).text
                for scheme in ["ApiKey", "apikey", "APIKEY", "Bearer", "bearer"] {
                    let response = try await fixture.profile("\(scheme) \(key)")
                    #expect(
                        response.status == 200 && response.json?["email"]?.string == GatewayFixture.email, "\(scheme)")
                }
            }
            for scope in ["smtp", "pop3", "imap"] {
                let response = try await fixture.profile(fixture.key([scope]).authorization)
                #expect(response.status == 401 && response.body.isEmpty, "\(scope)")
                #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
            }
        }
    }

    @Test("RM-8 keys are listed newest first with mail settings and last use, without revoked ones")
    func list() async throws {
        let change = { @Sendable (settings: inout GatewaySettings) in
            settings.relateMail.imap = .init(host: "imap.example.org", port: 1143, securePort: 1993)
            settings.relateMail.features.removeAll { $0 == "pop3" }
            settings.publicURL = "https://mail.example.org:8443"
        }
        try await RelateMailFixture.with(change) { fixture in
            let first = try await fixture.key(["app"])
            fixture.base.clock.advance(1)
            let second = try await fixture.key(["smtp"])
            fixture.base.clock.advance(1)
            let third = try await fixture.key(["imap"])
            #expect(try await fixture.revoke(third.id, first.authorization).status == 204)

            let response = try await fixture.send("GET", RelateMailFixture.credentials, first.authorization)

            let list = try JSON.decode(RelateMailKeyList.self, from: response.body)
            #expect(list.keys.map(\.id) == [second.id, first.id])
            let areActive = list.keys.allSatisfy { $0.isActive }
            #expect(areActive)
            #expect(list.keys[0].lastUsedAt == nil && list.keys[1].lastUsedAt != nil)
            #expect(response.json?["keys"]?.array?.first?["lastUsedAt"] == .null)
            let info = list.connectionInfo
            #expect(info.username == GatewayFixture.email && info.activeKeyCount == 2)
            #expect(info.smtpServer == "mail.example.org" && info.smtpPort == 587 && info.smtpSecurePort == 465)
            #expect(info.imapServer == "imap.example.org" && info.imapPort == 1143 && info.imapSecurePort == 1993)
            #expect(info.smtpEnabled && info.imapEnabled && !info.pop3Enabled)
            #expect(response.json?["connectionInfo"]?.members?.count == 14)
        }
    }

    @Test("RM-8 a revoked key is refused at the next request; revoking it again or another's key gets 404")
    func revoke() async throws {
        try await RelateMailFixture.with { fixture in
            let key = try await fixture.key()
            let other = try await fixture.key(subject: "bob-1", email: "bob@example.org")
            #expect(try await fixture.profile(key.authorization).status == 200)

            for path in [key.id, "00000000-0000-4000-8000-000000000000", "not-an-id", "..%2Fkeys", other.id] {
                let response = try await fixture.revoke(
                    path, path == other.id ? key.authorization : other.authorization)
                #expect(response.status == 404 && response.json?["title"] == "Not Found", "\(path)")
            }
            #expect(try await fixture.profile(other.authorization).status == 200)

            let done = try await fixture.revoke(key.id.uppercased(), key.authorization)
            #expect(done.status == 204 && done.body.isEmpty)
            #expect(try await fixture.profile(key.authorization).status == 401)
            #expect(try await fixture.revoke(key.id, other.authorization).status == 404)
            #expect(fixture.events("api-key-revoked").first?["key"]?.string == key.id)
        }
    }

    @Test("RM-8 rotation: the old key creates the new one, and is revoked after the new one was used")
    func rotation() async throws {
        try await RelateMailFixture.with { fixture in
            let old = try await fixture.key(["app"])
            let made = try await fixture.make(old.authorization, name: "the next")
            let new = RelateMailFixture.Key(
                id: try #require(made.json?["id"]?.string), text: try #require(made.json?["apiKey"]?.string))

            #expect(made.json?["scopes"] == ["app"])
            #expect(try await fixture.profile(old.authorization).status == 200)
            #expect(try await fixture.profile(new.authorization).status == 200)
            #expect(try await fixture.revoke(old.id, new.authorization).status == 204)

            #expect(try await fixture.profile(old.authorization).status == 401)
            #expect(try await fixture.listed(new.authorization).compactMap { $0["id"]?.string } == [new.id])
        }
    }

    @Test("RM-6 a key can only grant its own scopes; a signed-in person can grant all")
    func widening() async throws {
        try await RelateMailFixture.with { fixture in
            try await fixture.base.addPerson()
            let reader = try await fixture.key(["api:read", "smtp"])
            for scopes in [["app"], ["api:read", "imap"], ["API:WRITE"]] {
                let response = try await fixture.make(reader.authorization, scopes: scopes)
                #expect(response.status == 403 && response.json?["error"]?.string?.isEmpty == false, "\(scopes)")
            }
            let mobile: JSONValue = ["deviceName": "x", "platform": "linux"]
            let app = try await fixture.send(
                "POST", RelateMailFixture.credentials + "/mobile", reader.authorization, mobile)
            #expect(app.status == 403)
            #expect(try await fixture.make(reader.authorization).json?["scopes"] == ["smtp", "api:read"])
            #expect(try await fixture.make(reader.authorization, scopes: ["Api:Read"]).status == 200)

            let session = try await fixture.make("Bearer \(fixture.base.token())")
            #expect(session.status == 200 && session.json?["scopes"]?.array?.count == 6)
            #expect(fixture.events("api-key-made").last?["reason"] == "by-session")
        }
    }

    @Test("RM-8 a person cannot have more keys than the limit, even with concurrent requests")
    func maximum() async throws {
        try await RelateMailFixture.with({ $0.relateMail.maximumKeys = 5 }) { fixture in
            let token = try fixture.bearer()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await fixture.make(token).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 5 && statuses.count { $0 == 400 } == 15)
        }
    }
}
