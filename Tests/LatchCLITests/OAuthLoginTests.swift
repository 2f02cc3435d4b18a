import Foundation
import HTTPMessages
import TestSupport
import Testing

/// `latch login` at a server of OAuth 2.1 that does not register programs.
@Suite("Sign-in at a server of OAuth", .blocking, .timeLimit(.minutes(20)))
struct OAuthLoginTests {
    private static func response(_ request: FaultServer.Request) -> FaultServer.Response {
        let base = "http://" + (request.headers["host"] ?? "")
        let query = (try? FormURLEncoded.decode(String(request.path.drop { $0 != "?" }.dropFirst()))) ?? FormFields()
        switch request.path.prefix(while: { $0 != "?" }) {
        case "/.well-known/oauth-authorization-server":
            return .json(
                #"""
                {"issuer":"\#(base)","authorization_endpoint":"\#(base)/a","token_endpoint":"\#(base)/t",
                "userinfo_endpoint":"\#(base)/u","revocation_endpoint":"\#(base)/r"}
                """#)
        case "/a" where query["client_id"] == "by-hand":
            let answer = FormURLEncoded.encode([("code", "one"), ("state", query["state"] ?? "")])
            return .init(status: 302, headers: [("Location", "\(query["redirect_uri"] ?? "")?\(answer)")])
        case "/t" where String(decoding: request.body, as: UTF8.self).contains("client_id=by-hand"):
            return .json(#"{"access_token":"a1","token_type":"Bearer","refresh_token":"r1","expires_in":300}"#)
        case "/u" where request.headers["authorization"] == "Bearer a1":
            return .json(#"{"sub":"7","email":"ada@example.org","name":"Ada"}"#)
        case "/r" where String(decoding: request.body, as: UTF8.self).contains("token=r1"): return .init()
        default: return .json("{}", 404)
        }
    }

    @Test("the error names --client-id, and with it the person is signed in, asked and signed out")
    func clientID() async throws {
        let server = try FaultServer { Self.response($0) }
        defer { server.close() }
        var home = try HomeFixture()
        home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
        let url = "http://127.0.0.1:\(server.port)"

        let without = try await home.latch("login", url)
        #expect(without.status == 64 && without.errors.contains("Found a server that speaks OAuth"), "\(without)")
        #expect(without.errors.contains("needs a client id") && without.errors.contains("--client-id ID"))
        #expect(try await home.latch("login", url, "--client-id", "").status == 64)

        let browser = "curl --silent --location --output /dev/null %s"
        let login = try await home.latch("login", url, "--client-id", "by-hand", "--browser-command", browser)
        #expect(login.status == 0 && login.output.contains("as ada@example.org"), "\(login.errors)")
        #expect(try await home.latch("whoami").output.contains("checked with the server now"))
        // The id is stored with the account.
        let again = try await home.latch("login", url, "--browser-command", browser)
        #expect(again.status == 0, "\(again.errors)")
        #expect(try await home.latch("logout").status == 0)
        #expect(server.requests.contains { $0.path == "/r" })
    }
}
