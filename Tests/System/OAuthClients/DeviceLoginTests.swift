import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// `latch login --device` at the built gateway, with a person who visits its page.
@Suite("latch login --device", .serialized, .blocking, .inTurn, .timeLimit(.minutes(4)))
struct DeviceLoginTests {
    /// The address of the gateway, which is its issuer.
    private static let port = 24_312
    private static let address = "http://127.0.0.1:\(port)"

    @Test(
        "RFC 8628 RFC 7591 latch signs in at the dialects and the authorization server, once the person has allowed it",
        arguments: ["onyx", "immich", "oauth", "registration"])
    func signIn(_ dialect: String) async throws {
        try await withGateway(dialect) { fixture, _ in
            let arguments = dialect == "oauth" ? ["--client-id", "tv"] : []
            let latch = try Self.login(fixture, ["--json"] + arguments)
            let event = try JSONValue(parsing: Array(try await latch.line(containing: #""event""#).utf8))
            #expect(event["event"] == "device-code" && event["expiresInSeconds"] == 600)
            #expect(event["address"] == .string(Self.address + "/oauth2/device"))
            let complete = try #require(event["completeAddress"]?.string)
            #expect(complete.hasSuffix(try #require(event["userCode"]?.string)))
            let page = try await Self.visit(complete, "allow", "You allowed")
            #expect(page.contains("Go back to the device"))

            let result = try JSONValue(parsing: Array(try await latch.line(containing: #""account""#).utf8))
            #expect(result["account"]?["userEmail"] == .string(SystemFixture.email))
            #expect(await latch.waitForExit() == 0)
            let who = try await fixture.latch("whoami")
            #expect(who.status == 0 && who.output.contains("checked with the server now"), "\(who.errors)")
            #expect(try await fixture.latch("logout").status == 0)
        }
    }

    @Test("RFC 8628 §3.5 a denied sign-in ends with 77, a client that may not do it too, and nothing is stored")
    func denied() async throws {
        try await withGateway("immich") { fixture, _ in
            let latch = try Self.login(fixture, [])
            let line = try await latch.line(containing: "/oauth2/device")
            let code = try await latch.line("the code") { $0.wholeMatch(of: /\s+[B-Z]{4}-[B-Z]{4}/) != nil }
            _ = try await Self.visit(
                line.trimmingCharacters(in: .whitespaces), "deny", "Not allowed",
                code: code.trimmingCharacters(in: .whitespaces))
            #expect(await latch.waitForExit() == 77)
            #expect(latch.output.contains("denied on the other device"))
            #expect(try await fixture.latch("accounts", "--json").json()["accounts"]?.array?.isEmpty == true)
        }
        try await withGateway("oauth") { fixture, _ in
            let refused = try await fixture.latch("login", Self.address, "--device", "--client-id", "app", "--json")
            #expect(refused.status == 77)
            #expect(try refused.json()["error"]?["code"] == "device_login_disabled")
            let unknown = try await fixture.latch("login", Self.address, "--device", "--client-id", "nobody")
            #expect(unknown.status == 64 && unknown.errors.contains("does not know this client id"))
            let none = try await fixture.latch("login", Self.address, "--device")
            #expect(none.status == 64 && none.errors.contains("client id"))
        }
    }

    @Test(
        "RFC 7009 OX-13 a sign-out while the server is down deletes the tokens here, as at every server, and says so",
        arguments: ["onyx", "oauth"])
    func signOutOffline(_ dialect: String) async throws {
        try await withGateway(dialect) { fixture, gateway in
            let latch = try Self.login(fixture, ["--json"] + (dialect == "oauth" ? ["--client-id", "tv"] : []))
            let event = try JSONValue(parsing: Array(try await latch.line(containing: #""event""#).utf8))
            _ = try await Self.visit(try #require(event["completeAddress"]?.string), "allow", "You allowed")
            #expect(await latch.waitForExit() == 0)
            let token = try await fixture.latch("token")
            #expect(token.errors.contains("bound to a key of this device"), "\(token.errors)")

            gateway.program.send(SIGTERM)
            await gateway.program.waitForExit()
            let out = try await fixture.latch("logout")
            #expect(out.status == 0 && out.errors.contains("The session was not ended on the server"), "\(out.errors)")
            #expect(out.errors.contains("latchd sessions revoke"))
            #expect(try await fixture.latch("accounts", "--json").json()["accounts"]?.array?.isEmpty == true)
            let secret = token.output.trimmingCharacters(in: .newlines)
            #expect(try fixture.files(holding: secret).isEmpty)

            let again = try await fixture.startGateway(port: Self.port)
            try await attempt {
                // Nothing here could end the session any more: the next programs have no token.
                #expect(try await fixture.latch("accounts").status == 0)
                let sessions = try await fixture.latchd("sessions", "list", "--json").json()
                let names = sessions.array?.compactMap { $0["device"]?.string } ?? []
                #expect(sessions.array?.count == 2, "the device's and the browser's: \(names)")
            } finally: {
                again.program.send(SIGTERM)
                await again.program.waitForExit()
            }
        }
    }

    @Test("Ctrl-C ends the wait with 130 and leaves nothing")
    func interrupted() async throws {
        try await withGateway("immich") { fixture, _ in
            let terminal = try PseudoTerminal(
                Products.path("latch"),
                ["login", Self.address, "--device", "--secrets-key", fixture.folder.file("key")],
                environment: fixture.environment)
            try terminal.wait(for: "stop with Ctrl-C")
            #expect(terminal.screen.contains("\u{2580}") || terminal.screen.contains("columns"))
            terminal.type("\u{3}")
            #expect(try terminal.end() == 130)
            #expect(terminal.screen.contains("Stopped."))
            #expect(try await fixture.latch("accounts", "--json").json()["accounts"]?.array?.isEmpty == true)
            let sessions = try await fixture.latchd("sessions", "list", "--json").json()
            #expect(sessions.array?.isEmpty == true, "\(sessions)")
        }
    }

    private static func login(_ fixture: SystemFixture, _ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            Products.path("latch"), ["login", address, "--device"] + arguments, environment: fixture.environment)
    }

    /// Signs the person in in a browser, enters the code and decides.
    private static func visit(
        _ address: String, _ decision: String, _ end: String, code: String? = nil
    ) async throws -> String {
        let http = try HTTPClient()
        // The code is in the address, and so in the field already.
        let text = address.split(separator: "?", maxSplits: 1).dropFirst().last ?? ""
        let query = try FormURLEncoded.decode(String(text))
        let answers = [
            "username": SystemFixture.email, "password": SystemFixture.password, "decision": decision,
            "user_code": code ?? query["user_code"] ?? "",
        ]
        let page = try await FormBrowser(http).follow(address, answers: answers, untilPageWith: end)
        await http.close()
        return page
    }

    private func withGateway(
        _ dialect: String, _ body: (SystemFixture, RunningGateway) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let configuration = """
            public_url: \(Self.address)
            pages: {enabled: true}
            dialects:
              onyx: {enabled: \(dialect == "onyx")}
              immich: {enabled: \(dialect == "immich")}
            oauth:
              enabled: true
              device_dialects: true
              registration: {enabled: \(dialect == "registration")}
              clients:
                app: {name: An app, redirects: ["http://127.0.0.1/callback"]}
                tv: {name: A television, device: true}

            """
        try folder.write(configuration, to: "latchd.yaml")
        let base = try SystemFixture(["LATCHD_CONFIG": folder.file("latchd.yaml")])
        let gateway = try await base.startGateway(port: Self.port)
        try await attempt {
            let added = try await base.latchd(
                "user", "add", SystemFixture.email, "--admin", "--password-stdin",
                input: SystemFixture.password + "\n")
            #expect(added.status == 0, "\(added.errors)")
            try await body(base, gateway)
        } finally: {
            gateway.program.send(SIGTERM)
            await gateway.program.waitForExit()
        }
    }
}
