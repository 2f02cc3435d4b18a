import Crypto
import HTTPClient
import HTTPMessages
import OAuth
import TestSupport

/// A sign-in through the provider as a browser and an app do it, by HTTP alone.
struct BrowserlessSignIn {
    static let redirect = "onyx://auth/callback"

    let onyx: String
    let http: HTTPClient
    let verifier = PKCE.Verifier()
    let state = State()

    /// Where the provider sends the browser, and what this browser keeps for the gateway.
    struct StartedSignIn {
        let providerURL: String
        let cookie: String
    }

    /// The app opens the gateway's address in the browser.
    func begin() async throws -> StartedSignIn {
        let query = FormURLEncoded.encode([
            ("redirect", "true"), ("mobile_redirect_uri", Self.redirect), ("app_state", state.text),
            ("app_code_challenge", verifier.challenge.text),
        ])
        let response = try await http.send(ClientRequest(url: onyx + "/api/auth/oauth/authorize?" + query))
        guard response.status.isRedirect, let location = response.headers["Location"] else {
            throw ChildProcess.Failure("authorize: \(response.status)")
        }
        let cookies = response.headers.values("Set-Cookie").map { $0.prefix { $0 != ";" } }
        return StartedSignIn(providerURL: location, cookie: cookies.joined(separator: "; "))
    }

    /// The person fills in the provider's page; the answer is the address of the gateway's callback.
    func fill(_ started: StartedSignIn, _ fields: [(String, String)]) async throws -> String {
        let response = try await http.send(
            ClientRequest(
                method: .post, url: started.providerURL, headers: ["Content-Type": FormURLEncoded.mediaType],
                body: Array(FormURLEncoded.encode(fields).utf8)))
        guard response.status == .seeOther, let location = response.headers["Location"] else {
            throw ChildProcess.Failure("provider: \(response.status)")
        }
        return location
    }

    /// The browser goes back to the gateway.
    func callBack(_ address: String, cookie: String) async throws -> ClientResponse {
        try await http.send(ClientRequest(url: address, headers: ["Cookie": cookie, "Accept": "text/html"]))
    }

    /// The whole way in the browser, to what the gateway answers in the end.
    func run(_ fields: [(String, String)]) async throws -> ClientResponse {
        let started = try await begin()
        return try await callBack(fill(started, fields), cookie: started.cookie)
    }

    /// The parameters of the app's deep link; nil when the browser was not sent to the app.
    static func deepLink(_ response: ClientResponse) throws -> FormFields? {
        guard response.status.isRedirect, let link = response.headers["Location"] else { return nil }
        guard link.hasPrefix(redirect + "?") else { throw ChildProcess.Failure("The link is '\(link)'.") }
        return try FormURLEncoded.decode(String(link.dropFirst(redirect.count + 1)))
    }

    func exchange(_ code: String) async throws -> ClientResponse {
        let body: JSONValue = ["code": .string(code), "code_verifier": .string(verifier.secret.reveal())]
        return try await http.send(
            ClientRequest(
                method: .post, url: onyx + "/api/auth/mobile/sso/exchange",
                headers: ["Content-Type": JSON.mediaType], body: body.encoded()))
    }

    func me(_ token: String) async throws -> ClientResponse {
        try await http.send(ClientRequest(url: onyx + "/api/me", headers: ["Authorization": "Bearer \(token)"]))
    }
}
