import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import LatchSandbox
import OAuth
import ServerMessages
import TestSupport
import Testing

/// What an app of Relate Mail does from the server's address to a rotated key, against the provider and gateway of the
/// sandbox.
@Suite(.timeLimit(.minutes(20))) struct RelateMailSandboxTests {
    private struct App: Sendable {
        let server: String
        let http: HTTPClient

        static func with(_ body: (App, Sandbox) async throws -> Void) async throws {
            try await Sandbox.with { sandbox, http in
                try await body(App(server: try #require(sandbox.url(of: "relate-mail")), http: http), sandbox)
            }
        }

        func ask(
            _ method: HTTPMethod, _ path: String, _ authorization: String? = nil, _ body: JSONValue? = nil
        ) async throws -> ClientResponse {
            var headers: HTTPHeaders = ["Content-Type": JSON.mediaType]
            if let authorization { headers.append("Authorization", authorization) }
            return try await http.send(
                ClientRequest(method: method, url: server + path, headers: headers, body: body?.encoded() ?? []))
        }

        /// Signs somebody in at the provider that the server names, as the apps do; the tokens.
        func signIn(
            redirect: String = "relate-mail://auth/callback", email: String = "ada@example.org",
            _ more: [(String, String)] = []
        ) async throws -> JSONValue {
            let configuration = try JSON.decode(
                RelateMailConfiguration.self, from: await ask(.get, "/config/config.json").body)
            let provider = try JSONValue(
                parsing: await http.send(
                    ClientRequest(url: configuration.oidcAuthority + "/.well-known/openid-configuration")
                ).body)
            let (verifier, state) = (PKCE.Verifier(), State())
            let request = FormURLEncoded.encode([
                ("client_id", configuration.oidcClientId), ("redirect_uri", redirect), ("response_type", "code"),
                ("scope", configuration.oidcScope), ("state", state.text),
                ("code_challenge", verifier.challenge.text), ("code_challenge_method", "S256"),
            ])
            let login = String(email.prefix { $0 != "@" })
            let page = try await post(
                try #require(provider["authorization_endpoint"]?.string) + "?" + request,
                [("email", email), ("password", "\(login)-plays-in-the-sandbox"), ("action", "allow")] + more)
            let location = try #require(page.headers["Location"])
            #expect(location.hasPrefix(redirect + "?"))
            let response = try FormURLEncoded.decode(String(location.dropFirst(redirect.count + 1)))
            #expect(response["state"] == state.text)
            let tokens = try await post(
                try #require(provider["token_endpoint"]?.string),
                [
                    ("grant_type", "authorization_code"), ("code", response["code"] ?? ""), ("redirect_uri", redirect),
                    ("client_id", configuration.oidcClientId), ("code_verifier", verifier.secret.reveal()),
                ])
            return try JSONValue(parsing: tokens.body)
        }

        private func post(_ url: String, _ fields: [(String, String)]) async throws -> ClientResponse {
            try await http.send(
                ClientRequest(
                    method: .post, url: url, headers: ["Content-Type": FormURLEncoded.mediaType],
                    body: Array(FormURLEncoded.encode(fields).utf8)))
        }

        func makeKey(_ authorization: String) async throws -> RelateMailCreatedKey {
            let body: JSONValue = ["deviceName": "a desk", "platform": "linux"]
            let response = try await ask(.post, "/api/smtp-credentials/mobile", authorization, body)
            try #require(response.status == .ok)
            return try JSON.decode(RelateMailCreatedKey.self, from: response.body)
        }
    }

    @Test("RM-4 RM-6 RM-8 discovery, sign-in at the provider, and a key with its use, rotation and revocation")
    func endToEnd() async throws {
        try await App.with { app, _ in
            let discovery = try JSON.decode(
                RelateMailDiscovery.self, from: await app.ask(.get, "/api/discovery").body)
            #expect(discovery.oidcEnabled && discovery.features.contains("oidc"))
            for redirect in ["relate-mail://auth/callback", "http://127.0.0.1:23847/auth/callback"] {
                let token = try #require(try await app.signIn(redirect: redirect)["access_token"]?.string)

                let profile = try JSON.decode(
                    RelateMailProfile.self, from: await app.ask(.get, "/api/profile", "Bearer \(token)").body)
                #expect(profile.email == "ada@example.org" && profile.displayName == "Ada Lovelace")

                let first = try await app.makeKey("Bearer \(token)")
                #expect(first.scopes == ["app"])
                let second = try await app.makeKey("ApiKey \(first.apiKey)")
                #expect(try await app.ask(.get, "/api/profile", "ApiKey \(second.apiKey)").status == .ok)
                let path = "/api/smtp-credentials/"
                #expect(try await app.ask(.delete, path + first.id, "ApiKey \(second.apiKey)").status == .noContent)
                #expect(try await app.ask(.get, "/api/profile", "ApiKey \(first.apiKey)").status == .unauthorized)
                let list = try JSON.decode(
                    RelateMailKeyList.self, from: await app.ask(.get, "/api/smtp-credentials", "Bearer \(token)").body)
                #expect(list.keys.map(\.id) == [second.id] && list.keys[0].lastUsedAt != nil)
                #expect(try await app.ask(.delete, path + second.id, "Bearer \(token)").status == .noContent)
            }
        }
    }

    @Test("RM-6 the ID token is refused as an access token, and so is a faulty token")
    func wrongTokens() async throws {
        try await App.with { app, _ in
            let tokens = try await app.signIn()
            let id = try #require(tokens["id_token"]?.string)
            #expect(try await app.ask(.get, "/api/profile", "Bearer \(id)").status == .unauthorized)
            for fault in [
                "expired", "from-the-future", "wrong-audience", "wrong-issuer", "no-subject", "unsigned",
                "wrong-signature", "unknown-key",
            ] {
                let token = try #require(try await app.signIn([("fault", fault)])["access_token"]?.string)
                #expect(try await app.ask(.get, "/api/profile", "Bearer \(token)").status == .unauthorized, "\(fault)")
            }
            let unverified = try await app.signIn(email: "carol@example.org", [("fault", "unverified-email")])
            let token = try #require(unverified["access_token"]?.string)
            #expect(try await app.ask(.get, "/api/profile", "Bearer \(token)").status == .forbidden)
        }
    }

    @Test("RM-6 name and address are requested from UserInfo if the access token does not have them")
    func userInfo() async throws {
        try await App.with { app, _ in
            let tokens = try await app.signIn(email: "carol@example.org", [("claims", "userinfo")])
            let token = try #require(tokens["access_token"]?.string)
            let response = try await app.ask(.get, "/api/profile", "Bearer \(token)")
            #expect(try JSON.decode(RelateMailProfile.self, from: response.body).displayName == "Carol New")
        }
    }

    @Test("A loopback redirect is accepted at any port, but with no other path, host or scheme")
    func redirects() async throws {
        try await App.with { app, sandbox in
            func status(_ redirect: String) async throws -> Int {
                let request = FormURLEncoded.encode([
                    ("client_id", "relate-mail"), ("redirect_uri", redirect), ("response_type", "code"),
                    ("scope", "openid"), ("code_challenge", PKCE.Verifier().challenge.text),
                    ("code_challenge_method", "S256"),
                ])
                let url = sandbox.provider.issuer + "/authorize?" + request
                return try await app.http.send(ClientRequest(url: url)).status.rawValue
            }
            for good in ["http://127.0.0.1:1/callback", "http://[::1]:65535/auth/callback"] {
                let found = try await status(good)
                #expect(found == 200, "\(good)")
            }
            for bad in [
                "http://127.0.0.1:0/callback", "http://127.0.0.1:99999/callback", "http://127.0.0.1:1/other",
                "http://127.0.0.1:1@evil.example/callback", "http://127.0.0.1.evil.example:1/callback",
                "http://localhost:1/callback", "https://127.0.0.1:1/callback", "relate-mail://auth/callback/",
            ] {
                let found = try await status(bad)
                #expect(found == 400, "\(bad)")
            }
        }
    }
}
