import FoundationEssentials
import HTTPClient
import HTTPMessages
import LatchSandbox
import ServerMessages
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct TimeTrackerSandboxTests {
    @Test("TT-3 TT-4 TT-6 TT-8 TT-12 TT-13 a complete sign-in at the sandbox, a sign-out, and a denial")
    func completeSignIn() async throws {
        let sandbox = try await Sandbox.open()
        let http = try HTTPClient()
        let url = try #require(sandbox.url(of: "timetracker"))

        let ada = [("email", "ada@example.org"), ("password", "ada-plays-in-the-sandbox"), ("action", "allow")]
        let link = try #require(try await deepLink(ada, at: url, http))
        let body = TimeTrackerTokenRequest(
            code: link["code"] ?? "", state: link["state"] ?? "", redirectURI: "timetracker://oauth/callback")
        let exchanged = try await http.send(
            ClientRequest(
                method: .post, url: url + "/auth/token", headers: ["Content-Type": JSON.mediaType],
                body: body.json.encoded()))
        let token = try JSON.decode(TimeTrackerTokenResponse.self, from: exchanged.body)
        #expect(token.user.email == "ada@example.org" && token.user.fullName == "Ada Lovelace")
        #expect(token.tokenType == "Bearer" && token.expiresIn == 2_592_000)
        let bearer: HTTPHeaders = ["Authorization": "Bearer \(token.accessToken)"]
        let me = try await http.send(ClientRequest(url: url + "/auth/me", headers: bearer))
        #expect(try JSON.decode(TimeTrackerUser.self, from: me.body) == token.user)
        let out = try await http.send(ClientRequest(method: .post, url: url + "/auth/logout", headers: bearer))
        #expect(out.status == .ok)
        #expect(try await http.send(ClientRequest(url: url + "/auth/me", headers: bearer)).status == .unauthorized)

        let denied = try #require(try await deepLink([("action", "deny")], at: url, http))
        #expect(denied["error"] == "access_denied" && denied["code"] == nil)
        await http.close()
        await sandbox.close()
    }

    /// What comes to the app's address when the provider's page is filled in with `fields`.
    private func deepLink(_ fields: [(String, String)], at url: String, _ http: HTTPClient) async throws -> FormFields?
    {
        let query = FormURLEncoded.encode([("redirect_uri", "timetracker://oauth/callback")])
        let response = try await http.send(ClientRequest(url: "\(url)/auth/login?\(query)"))
        let cookies = response.headers.values("Set-Cookie").map { $0.prefix { $0 != ";" } }.joined(separator: "; ")
        let filled = try await http.send(
            ClientRequest(
                method: .post, url: response.headers["Location"] ?? "",
                headers: ["Content-Type": FormURLEncoded.mediaType], body: Array(FormURLEncoded.encode(fields).utf8)))
        let back = try await http.send(
            ClientRequest(url: filled.headers["Location"] ?? "", headers: ["Cookie": cookies]))
        let parts = (back.headers["Location"] ?? "").split(separator: "?", maxSplits: 1)
        guard parts.count == 2, parts[0] == "timetracker://oauth/callback" else { return nil }
        return try FormURLEncoded.decode(String(parts[1]))
    }
}
