import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import TestSupport

/// Two gateways behind one address, on one database, with the sandbox's issuer as identity provider.
struct TwoGateways {
    /// Where a load balancer would listen; nobody does, and each step of a sign-in chooses its gateway itself.
    private static let address = "http://127.0.0.1:7"
    private static let callback = "/api/auth/oauth/callback"
    private static let app = "onyx://auth/callback"

    /// Where the codes are stored, if not in the database.
    let redis: RedisServer?
    let sandbox: RunningSandbox
    let one: RunningGateway
    let other: RunningGateway
    private let client: HTTPClient

    /// Starts the programs.
    ///
    /// - Parameter codes: The value of `bridge.codes`.
    /// - Throws: An error if one of them does not start.
    init(codes: String = "redis") async throws {
        redis = codes == "redis" ? try await RedisServer() : nil
        let fixture = try SystemFixture()
        sandbox = try await RunningSandbox(
            SystemFixture(sharing: fixture, ["TMPDIR": fixture.folder.path]), "--client",
            "gates=\(Self.address)\(Self.callback)")
        let configured = SystemFixture(
            sharing: fixture,
            [
                "LATCHD_PUBLIC_URL": Self.address, "LATCHD_BRIDGE_CODES": codes,
                "LATCHD_PROVIDERS_SANDBOX_ISSUER": sandbox.issuer,
                "LATCHD_PROVIDERS_SANDBOX_CLIENT_ID": "gates",
                "LATCHD_PROVIDERS_SANDBOX_CLIENT_AUTHENTICATION": "none",
                "LATCHD_PROVIDERS_SANDBOX_REGISTRATION": "open",
            ].merging(redis.map { ["LATCHD_REDIS_URL": $0.url] } ?? [:]) { $1 })
        one = try await configured.startGateway()
        other = try await configured.startGateway()
        client = try HTTPClient()
    }

    /// A one-time code on its way to an app, and the app's verifier.
    struct AppCallback {
        let link: FormFields
        let verifier: String
        var code: String? { link["code"] }
    }

    /// Goes from the app's request to the deep link: to `begin`, to the provider, back to `end`.
    func authorize(at begin: RunningGateway, backAt end: RunningGateway) async throws -> AppCallback {
        let verifier = Base64URL.encode(SecureRandom.bytes(32))
        let query = FormURLEncoded.encode([
            ("redirect", "true"), ("mobile_redirect_uri", Self.app), ("app_state", "the app's"),
            ("app_code_challenge", Base64URL.encode(SHA256.digest(verifier).bytes)),
        ])
        let began = try await client.send(
            ClientRequest(url: "\(begin.address)/api/auth/mobile/oauth/authorize?\(query)"))
        let cookies = began.headers.values("Set-Cookie").compactMap { $0.split(separator: ";").first }
        let form = [("action", "allow"), ("email", sandbox.email), ("password", sandbox.password)]
        let signedIn = try await post(try location(began), form)
        let back = try location(signedIn)
        guard back.hasPrefix(Self.address) else { throw ChildProcess.Failure("Sent back to '\(back)'.") }
        let done = try await client.send(
            ClientRequest(
                url: end.address + back.dropFirst(Self.address.count),
                headers: ["Cookie": cookies.joined(separator: "; ")]))
        let link = try location(done)
        guard link.hasPrefix(Self.app + "?") else { throw ChildProcess.Failure("The app was sent '\(link)'.") }
        return AppCallback(
            link: try FormURLEncoded.decode(String(link.dropFirst(Self.app.count + 1))), verifier: verifier)
    }

    /// Exchanges a code.
    func exchange(_ appCallback: AppCallback, at gateway: RunningGateway) async throws -> ClientResponse {
        let body: JSONValue = ["code": .string(appCallback.code ?? ""), "code_verifier": .string(appCallback.verifier)]
        return try await client.send(
            ClientRequest(
                method: .post, url: gateway.address + "/api/auth/mobile/sso/exchange",
                headers: ["Content-Type": JSON.mediaType], body: body.encoded()))
    }

    /// Whether a token opens `/api/me`.
    func isLive(_ token: String, at gateway: RunningGateway) async throws -> Bool {
        let response = try await client.send(
            ClientRequest(url: gateway.address + "/api/me", headers: ["Authorization": "Bearer \(token)"]))
        return response.status == .ok
    }

    func close() async {
        await client.close()
        await one.kill()
        await other.kill()
        await sandbox.end()
        await redis?.stop()
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
