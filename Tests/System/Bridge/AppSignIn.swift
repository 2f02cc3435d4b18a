import Crypto
import HTTPClient
import HTTPMessages
import TestSupport

/// The sign-in of an app through the sandbox's identity provider. Each step chooses its gateway.
struct AppSignIn: Sendable {
    static let callback = "/api/auth/oauth/callback"
    private static let app = "onyx://auth/callback"

    /// The public address of the gateways.
    let address: String
    let sandbox: RunningSandbox
    let client: HTTPClient

    /// A one-time code on its way to an app, and the app's verifier.
    struct AppCallback {
        let link: FormFields
        let verifier: String
        var code: String? { link["code"] }
    }

    /// The settings of a gateway with the sandbox as its identity provider, whose client is `gateways`.
    static func environment(_ sandbox: RunningSandbox) -> [String: String] {
        [
            "LATCHD_PROVIDERS_SANDBOX_ISSUER": sandbox.issuer,
            "LATCHD_PROVIDERS_SANDBOX_CLIENT_ID": "gateways",
            "LATCHD_PROVIDERS_SANDBOX_CLIENT_AUTHENTICATION": "none",
            "LATCHD_PROVIDERS_SANDBOX_REGISTRATION": "open",
        ]
    }

    /// The value of `Host` for requests that go to a gateway directly.
    private var host: String { String(address.drop { $0 != "/" }.dropFirst(2)) }

    /// Goes from the app's request to the deep link: to the gateway `begin`, to the provider, back to `end`.
    func authorize(at begin: String, backAt end: String) async throws -> AppCallback {
        let verifier = Base64URL.encode(SecureRandom.bytes(32))
        let query = FormURLEncoded.encode([
            ("redirect", "true"), ("mobile_redirect_uri", Self.app), ("app_state", "the app's"),
            ("app_code_challenge", Base64URL.encode(SHA256.digest(verifier).bytes)),
        ])
        let began = try await client.send(
            ClientRequest(url: "\(begin)/api/auth/mobile/oauth/authorize?\(query)", headers: ["Host": host]))
        let cookies = began.headers.values("Set-Cookie").compactMap { $0.split(separator: ";").first }
        let form = [("action", "allow"), ("email", sandbox.email), ("password", sandbox.password)]
        let signedIn = try await post(try location(began), form)
        let back = try location(signedIn)
        guard back.hasPrefix(address) else { throw ChildProcess.Failure("Sent back to '\(back)'.") }
        let done = try await client.send(
            ClientRequest(
                url: end + back.dropFirst(address.count),
                headers: ["Host": host, "Cookie": cookies.joined(separator: "; ")]))
        let link = try location(done)
        guard link.hasPrefix(Self.app + "?") else { throw ChildProcess.Failure("The app was sent '\(link)'.") }
        return AppCallback(
            link: try FormURLEncoded.decode(String(link.dropFirst(Self.app.count + 1))), verifier: verifier)
    }

    /// Exchanges a code.
    func exchange(_ appCallback: AppCallback, at gateway: String) async throws -> ClientResponse {
        let body: JSONValue = ["code": .string(appCallback.code ?? ""), "code_verifier": .string(appCallback.verifier)]
        return try await client.send(
            ClientRequest(
                method: .post, url: gateway + "/api/auth/mobile/sso/exchange",
                headers: ["Host": host, "Content-Type": JSON.mediaType], body: body.encoded()))
    }

    private func post(_ url: String, _ form: [(String, String)]) async throws -> ClientResponse {
        try await client.send(
            ClientRequest(
                method: .post, url: url, headers: ["Content-Type": FormURLEncoded.mediaType],
                body: Array(FormURLEncoded.encode(form).utf8)))
    }

    private func location(_ response: ClientResponse) throws -> String {
        guard let location = response.headers["Location"] else {
            throw ChildProcess.Failure("Answered \(response.status): \(String(decoding: response.body, as: UTF8.self))")
        }
        return location
    }
}
