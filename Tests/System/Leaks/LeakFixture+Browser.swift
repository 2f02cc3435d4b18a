import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import OAuth
import ScriptedProvider
import TestSupport

/// Sign-ins through an identity provider, with everything that is secret on the way.
extension LeakFixture {
    /// What browsers would call the gateway; it listens at another port, as behind a proxy.
    private static let address = "http://127.0.0.1:7"

    /// A provider whose tokens count among the secrets as soon as they are made.
    func startProvider() async throws -> ScriptedProvider {
        let script = ProviderScript { script in
            script.tokens = { [weak self] response in
                for name in ["id_token", "access_token"] {
                    // The head of a signed token is every such token's, and no secret.
                    let parts = response[name]?.string?.split(separator: ".") ?? []
                    if let secret = parts.last { self?.know("provider's \(name)", String(secret)) }
                }
            }
        }
        return try await ScriptedProvider.start(script, at: Date().timeIntervalSince1970)
    }

    /// Starts the gateway with that provider; the file with the client's secret is gone once it has been read.
    func startGateway(with provider: ScriptedProvider) async throws -> RunningGateway {
        let file = try temporary.write(ScriptedProvider.clientSecret, to: "client.secret")
        defer { try? FileManager.default.removeItem(atPath: file) }
        know("client's secret", ScriptedProvider.clientSecret)
        let variable = "LATCHD_PROVIDERS_SCRIPTED_"
        return try await SystemFixture(
            sharing: base,
            [
                "LATCHD_PUBLIC_URL": Self.address, variable + "ISSUER": provider.issuer,
                variable + "CLIENT_ID": ScriptedProvider.clientID, variable + "CLIENT_SECRET_FILE": file,
                variable + "LINK_BY_EMAIL": "true",
            ]
        ).startGateway()
    }

    /// Signs in for an app, as the browser itself, and in ways that fail.
    func throughProvider(_ gateway: RunningGateway) async throws {
        let http = try HTTPClient()
        let app = BrowserlessSignIn(onyx: gateway.address, http: http)
        know("app's state", app.state.text)
        know("app's verifier", app.verifier.secret.reveal())

        let (back, cookie) = try await atProvider(app.begin(), http)
        let callback = try await app.callBack(gateway.address + back, cookie: cookie)
        let code = try BrowserlessSignIn.deepLink(callback)?["code"] ?? ""
        know("one-time code", code)
        let response = try await app.exchange(code)
        let token = try JSONValue(parsing: response.body)["access_token"]?.string ?? ""
        know(token: token)
        guard try await app.me(token).status == .ok else { throw ChildProcess.Failure("No token by the provider.") }
        try await fail(app, back, cookie, code, gateway)

        let start = "/api/auth/oauth/authorize?redirect=true&next=/api/me"
        let redirect = try await http.send(ClientRequest(url: gateway.address + start))
        let own = try await atProvider(
            BrowserlessSignIn.StartedSignIn(
                providerURL: redirect.headers["Location"] ?? "", cookie: Self.cookies(redirect).joined(separator: "; ")),
            http
        )
        let signedIn = try await app.callBack(gateway.address + own.back, cookie: own.cookie)
        guard let session = Self.cookies(signedIn).first(where: { $0.hasPrefix("latchd_session=") }) else {
            throw ChildProcess.Failure("The browser itself was not signed in: \(signedIn.status)")
        }
        know("session's cookie", String(session.dropFirst("latchd_session=".count)))
        let me = try await http.send(
            ClientRequest(url: gateway.address + "/api/me", headers: ["Cookie": session]))
        keep(String(decoding: me.body, as: UTF8.self), "the answer to a cookie")
        await http.close()
    }

    /// From the gateway to the provider, which agrees at once; the path back with its query, and the cookie.
    private func atProvider(
        _ started: BrowserlessSignIn.StartedSignIn, _ http: HTTPClient
    ) async throws -> (back: String, cookie: String) {
        let query = started.providerURL.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        know("sealed state", try FormURLEncoded.decode(query)["state"] ?? "")
        for cookie in started.cookie.components(separatedBy: "; ") {
            know("browser's cookie", String(cookie.drop { $0 != "=" }.dropFirst()))
        }
        let response = try await http.send(ClientRequest(url: started.providerURL))
        guard let location = response.headers["Location"], location.hasPrefix(Self.address) else {
            throw ChildProcess.Failure("The provider sent the browser to '\(response.headers["Location"] ?? "")'.")
        }
        let sent = location.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        know("provider's code", try FormURLEncoded.decode(sent)["code"] ?? "")
        return (String(location.dropFirst(Self.address.count)), started.cookie)
    }

    /// The same again, in part, mixed up and in the wrong places; what is answered is kept.
    private func fail(
        _ app: BrowserlessSignIn, _ back: String, _ cookie: String, _ code: String, _ gateway: RunningGateway
    ) async throws {
        let query = back.split(separator: "?", maxSplits: 1).last ?? ""
        for (path, cookie) in [
            (back, cookie), (back, "x=y"), (back + "x", cookie), ("/api/auth/oauth/nobody/callback?\(query)", cookie),
            ("/api/auth/mobile/sso/exchange?code=\(code)", cookie), ("/nowhere?\(query)", cookie),
            ("/api/me?code=\(code)&code_verifier=\(app.verifier.secret.reveal())", cookie),
        ] {
            let response = try await app.callBack(gateway.address + path, cookie: cookie)
            // The page that leads back to the app has the app's own state in its link.
            let page = String(decoding: response.body, as: UTF8.self).replacing(app.state.text, with: "")
            keep(page, "the answer to a wrong way back")
        }
        for code in [code, app.verifier.secret.reveal(), String(cookie.drop { $0 != "=" }.dropFirst())] {
            let response = try await app.exchange(code)
            keep(String(decoding: response.body, as: UTF8.self), "the answer to a wrong exchange")
        }
    }

    private static func cookies(_ response: ClientResponse) -> [String] {
        response.headers.values("Set-Cookie").map { String($0.prefix { $0 != ";" }) }
    }
}
