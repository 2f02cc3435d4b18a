import HTTPClient
import HTTPMessages
import LatchSandbox
import OAuth
import TestSupport
import Testing

/// Whole sign-ins through the provider of the real `latchd sandbox`, without a browser.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct SandboxSignInTests {
    private func with(_ body: (RunningSandbox, BrowserlessSignIn) async throws -> Void) async throws {
        let sandbox = try await RunningSandbox(SystemFixture())
        let http = try HTTPClient()
        try await attempt {
            try await body(sandbox, BrowserlessSignIn(onyx: sandbox.onyx, http: http))
        } finally: {
            await http.close()
            await sandbox.end()
        }
    }

    private func person(_ word: String, _ more: (String, String)...) -> [(String, String)] {
        [("email", "\(word)@example.org"), ("password", "\(word)-plays-in-the-sandbox"), ("action", "allow")] + more
    }

    @Test("OX-2, OX-3, OX-4, OX-5, OX-8 a complete sign-in ends at /me", arguments: ["ada", "bob", "carol"])
    func completeSignIn(_ word: String) async throws {
        try await with { _, app in
            let end = try await app.run(person(word))
            let link = try #require(try BrowserlessSignIn.deepLink(end))
            #expect(link.map(\.name) == ["code", "state"] && link["state"] == app.state.text)

            let response = try await app.exchange(link["code"] ?? "")
            let token = try #require(try JSONValue(parsing: response.body)["access_token"]?.string)
            let me = try await app.me(token)

            #expect(response.status == .ok && me.status == .ok)
            #expect(try await sessions(app) == 1)
            #expect(try JSONValue(parsing: me.body)["email"]?.string == "\(word)@example.org")
            #expect(try await app.exchange(link["code"] ?? "").status == .unauthorized)
        }
    }

    @Test("A person who denies is redirected to the app with access_denied")
    func denied() async throws {
        try await with { _, app in
            let end = try await app.run([("action", "deny")])
            try expectRefusal(end, ["access_denied"], app)
        }
    }

    @Test("A person who is disabled or has no verified e-mail address is redirected with access_denied")
    func notAdmitted() async throws {
        try await with { _, app in
            try expectRefusal(await app.run(person("dora")), ["access_denied"], app)
            try expectRefusal(await app.run(person("ada", ("fault", "unverified-email"))), ["access_denied"], app)
            try expectRefusal(await app.run(person("carol", ("fault", "no-email"))), ["access_denied"], app)
        }
    }

    @Test("Each simulated failure ends the sign-in with an error for the app or the person")
    func faults() async throws {
        try await with { _, app in
            for fault in Fault.allCases where fault != .unverifiedEmail && fault != .noEmail {
                let end = try await app.run(person("ada", ("fault", fault.rawValue)))
                if fault == .wrongState || fault == .noState {
                    #expect(end.status == .badRequest && end.headers["Location"] == nil, "\(fault)")
                    #expect(String(decoding: end.body, as: UTF8.self).contains("The sign-in has ended"), "\(fault)")
                } else {
                    try expectRefusal(end, ["server_error", "temporarily_unavailable"], app, fault.rawValue)
                }
                #expect(!end.headers.values("Set-Cookie").contains { $0.hasPrefix("latchd_session=") }, "\(fault)")
            }
            #expect(try await sessions(app) == 0)

            let right = try #require(try BrowserlessSignIn.deepLink(await app.run(person("ada"))))
            #expect(right["code"]?.isEmpty == false)
        }
    }

    /// How many sessions are live, as the gateway's metrics tell.
    private func sessions(_ app: BrowserlessSignIn) async throws -> Int {
        let page = try await app.http.send(ClientRequest(url: app.onyx + "/metrics"))
        let lines = String(decoding: page.body, as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("latchd_sessions_live ") })
        return try #require(Int(line.dropFirst("latchd_sessions_live ".count)))
    }

    private func expectRefusal(
        _ end: ClientResponse, _ errors: Set<String>, _ app: BrowserlessSignIn, _ what: String = ""
    ) throws {
        let link = try #require(try BrowserlessSignIn.deepLink(end), "\(what): \(end.status)")
        #expect(link.map(\.name) == ["error", "error_description", "state"], "\(what)")
        #expect(errors.contains(link["error"] ?? ""), "\(what): \(link["error"] ?? "")")
        #expect(link["error_description"]?.isEmpty == false && link["state"] == app.state.text, "\(what)")
    }
}
