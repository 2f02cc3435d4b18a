import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20)))
struct SecretsTests {
    @Test(
        "OX-16 invariant 3: no token, password, hash or typed text is in a log, the metrics or the database",
        .onlySQLite)
    func leaksNothing() async throws {
        try await GatewayFixture.with {
            $0.onyx.allowsRegistration = true
        } _: { fixture in
            let person = try await fixture.addPerson()
            let typedByMistake = "hunter2-typed-as-name"
            let wrong = "wrong-password-9"
            let registered = "registered-pass-3"
            let token = try await fixture.token()
            _ = try await fixture.me(token)
            _ = try await fixture.refresh(token)
            _ = try await fixture.login(password: wrong)
            _ = try await fixture.login(typedByMistake, password: wrong)
            _ = try await fixture.register(#"{"email":"new@example.org","password":"\#(registered)"}"#)
            _ = try await fixture.http.send("GET", "/api/me?access_token=\(token)")
            _ = try await fixture.logout(token)
            try await fixture.gateway.stores.people.setPassword(Secret(wrong), of: person.id)
            let credential = try await fixture.gateway.stores.people.credential(
                EmailAddress(normalizing: GatewayFixture.email))
            let hash = try #require(credential?.hash?.rawValue)
            let metrics = try await fixture.http.send("GET", "/metrics")
            fixture.gateway.stores.audit.flush()
            let audit = try fixture.auditFile()
            let log = fixture.lines.text
            let database = try fixture.databaseBytes()

            #expect(log.contains("sign-in-failed") && audit.contains("sign-in-failed"))
            #expect(database.contains(Array("ada@example.org".utf8)))
            for secret in [token, GatewayFixture.password, wrong, registered, typedByMistake] {
                #expect(!log.leaks(secret))
                #expect(!audit.leaks(secret))
                #expect(!metrics.text.leaks(secret))
                #expect(!database.leaks(secret))
            }
            for hidden in [hash, "$argon2id", hexadecimal(SHA256.digest(token).bytes), "Bearer"] {
                #expect(!log.contains(hidden))
                #expect(!audit.contains(hidden))
                #expect(!metrics.text.contains(hidden))
            }
        }
    }

    @Test("OX-16 a token in the query, in the body or in another field is refused")
    func onlyInTheHeader() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            let form = FormURLEncoded.encode([("access_token", token)])

            #expect(try await fixture.http.send("GET", "/api/me?\(form)").status == 403)
            let cookie = [("Cookie", "fastapiusersauth=\(token)")]
            #expect(try await fixture.http.send("GET", "/api/me", headers: cookie).status == 403)
            #expect(
                try await fixture.http.send(
                    "POST", "/api/auth/mobile/refresh", headers: [("Content-Type", FormURLEncoded.mediaType)],
                    body: form
                ).status == 401)
        }
    }

    @Test("the scheme's name is compared without case, and an ambiguous header is ignored")
    func scheme() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for value in ["bearer \(token)", "BEARER \(token)", "Bearer   \(token)"] {
                #expect(
                    try await fixture.http.send("GET", "/api/me", headers: [("Authorization", value)]).status == 200)
            }
            for value in ["Basic \(token)", "Bearer", token, "Bearer \(token) x", "Bearer\(token)"] {
                #expect(
                    try await fixture.http.send("GET", "/api/me", headers: [("Authorization", value)]).status == 403)
            }
            let twice = [("Authorization", "Bearer \(token)"), ("Authorization", "Bearer \(token)")]
            #expect(try await fixture.http.send("GET", "/api/me", headers: twice).status != 200)
        }
    }

    @Test("the audit file is created readable only by its owner, and appended to")
    func auditFile() async throws {
        try await GatewayFixture.with { fixture in
            let path = fixture.folder.path + "/audit.log"
            try await fixture.addPerson()
            _ = try await fixture.login()
            fixture.gateway.stores.audit.flush()
            let writer = try LogWriter.appending(to: path)
            writer.write(Array("{}\n".utf8))
            writer.flush()

            let text = try fixture.auditFile()
            #expect(text.split(separator: "\n").count == 3)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("a log file that cannot be opened is reported with path and reason")
    func noFile() {
        let error = #expect(throws: GatewayError.self) { try LogWriter.appending(to: "/nonexistent/audit.log") }
        #expect(error?.code == .file)
        #expect(error?.message.contains("/nonexistent/audit.log") == true)
        #expect(error?.message.contains("No such file") == true)
    }

    @Test("the audit log contains the person, the address, the client and the request")
    func auditEvents() async throws {
        try await GatewayFixture.with {
            $0.accountLimit = AttemptLimit(attempts: 2, window: .seconds(900))
        } _: { fixture in
            let person = try await fixture.addPerson()
            let login = try await fixture.login(headers: [("deviceModel", "laptop"), ("deviceType", "Linux")])
            _ = try await fixture.logout(login.token)
            _ = try await fixture.login(password: "wrong one")
            _ = try await fixture.login(password: "wrong one")
            _ = try await fixture.login(password: "wrong one")

            let audit = fixture.lines.audit.filter { $0["event"]?.string != "person-added" }
            #expect(
                audit.map { $0["event"]?.string }
                    == ["sign-in", "signed-out", "sign-in-failed", "sign-in-failed", "locked-out"])
            #expect(audit.allSatisfy { $0["person"]?.string == person.id.uuidString.lowercased() })
            #expect(audit.allSatisfy { $0["address"]?.string == "127.0.0.1" })
            #expect(audit.allSatisfy { $0["request"]?.string?.isEmpty == false })
            #expect(audit[0]["device"]?.string == "laptop")
            #expect(audit[0]["device_kind"]?.string == "Linux")
            #expect(audit[0]["session"]?.string == audit[1]["session"]?.string)
            #expect(audit[2]["reason"]?.string == "wrong-password")
            #expect(audit[4]["seconds"]?.number == 30)
        }
    }

    @Test("an administrator's actions are recorded, also those of commands")
    func auditOfAdministration() async throws {
        try await GatewayFixture.with { fixture in
            let person = try await fixture.addPerson()
            _ = try await fixture.login()
            let stores = fixture.gateway.stores
            let session = try #require(try await stores.sessions.list().first)
            try await stores.sessions.revoke(session.id)
            try await stores.sessions.revokeAll(of: person.id)
            try await stores.people.setPassword(Secret("another horse 8"), of: person.id)
            try await stores.people.disable(person.id)
            try await stores.people.enable(person.id)
            try await stores.people.remove(person.id)

            let audit = fixture.lines.audit.filter { $0["event"]?.string != "sign-in" }
            #expect(
                audit.map { $0["event"]?.string } == [
                    "person-added", "revoked", "revoked", "password-changed", "person-disabled", "person-enabled",
                    "person-removed",
                ])
            #expect(audit.allSatisfy { $0["person"]?.string == person.id.uuidString.lowercased() })
            #expect(audit[1]["session"]?.string == session.id.rawValue)
        }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension GatewayFixture {
    fileprivate func auditFile() throws -> String {
        try String(decoding: Data(contentsOf: URL(filePath: folder.path + "/audit.log")), as: UTF8.self)
    }
}
