import Foundation
import HTTPClient
import HTTPMessages
import ServerMessages
import TestSupport

/// Two gateways that speak as Time Tracker does behind one address, on one database and one Redis, with the sandbox's issuer.
struct TimeTrackerFixture {
    /// Where a load balancer would listen; nobody does, and each step of a sign-in chooses its gateway itself.
    static let address = "http://127.0.0.1:7"
    static let app = "timetracker://oauth/callback"

    let redis: RedisServer
    let sandbox: RunningSandbox
    let base: SystemFixture
    let one: RunningGateway
    let other: RunningGateway
    private let client: HTTPClient

    /// Starts all of it; `callback` is who receives the browser from the provider.
    init(callback: String, algorithm: String = "ES256") async throws {
        redis = try await RedisServer()
        let plain = try SystemFixture()
        sandbox = try await RunningSandbox(
            SystemFixture(sharing: plain, ["TMPDIR": plain.folder.path]), "--client",
            "gateways=\(Self.address)/auth/callback",
            "--client", "gateways=\(Self.app)")
        base = SystemFixture(
            sharing: plain,
            [
                "LATCHD_PUBLIC_URL": Self.address, "LATCHD_BRIDGE_CODES": "redis", "LATCHD_REDIS_URL": redis.url,
                "LATCHD_PROVIDERS_SANDBOX_ISSUER": sandbox.issuer,
                "LATCHD_PROVIDERS_SANDBOX_CLIENT_ID": "gateways",
                "LATCHD_PROVIDERS_SANDBOX_CLIENT_AUTHENTICATION": "none",
                "LATCHD_PROVIDERS_SANDBOX_REGISTRATION": "open",
                "LATCHD_DIALECTS_TIMETRACKER_ENABLED": "true", "LATCHD_DIALECTS_TIMETRACKER_CALLBACK": callback,
                "LATCHD_TOKENS_ALGORITHM": algorithm,
            ])
        one = try await base.startGateway()
        other = try await base.startGateway()
        client = try HTTPClient()
    }

    func close() async {
        await client.close()
        await one.kill()
        await other.kill()
        await sandbox.end()
        await redis.stop()
    }

    /// Goes from the app's login to what comes to its address: to `begin`, to the provider, and where the provider sends the
    /// browser here, back to `end`.
    func deepLink(at begin: RunningGateway, backAt end: RunningGateway) async throws -> FormFields {
        let query = FormURLEncoded.encode([("redirect_uri", Self.app)])
        let began = try await client.send(ClientRequest(url: "\(begin.address)/auth/login?\(query)"))
        let cookies = began.headers.values("Set-Cookie").compactMap { $0.split(separator: ";").first }
        let form = [("action", "allow"), ("email", sandbox.email), ("password", sandbox.password)]
        var link = try Self.location(
            await client.send(
                ClientRequest(
                    method: .post, url: Self.location(began), headers: ["Content-Type": FormURLEncoded.mediaType],
                    body: Array(FormURLEncoded.encode(form).utf8))))
        if link.hasPrefix(Self.address) {
            let back = end.address + link.dropFirst(Self.address.count)
            link = try Self.location(
                await client.send(ClientRequest(url: back, headers: ["Cookie": cookies.joined(separator: "; ")])))
        }
        guard link.hasPrefix(Self.app + "?") else { throw ChildProcess.Failure("The app was sent '\(link)'.") }
        return try FormURLEncoded.decode(String(link.dropFirst(Self.app.count + 1)))
    }

    /// Exchanges what came to the app for a token.
    func exchange(_ link: FormFields, at gateway: RunningGateway) async throws -> ClientResponse {
        let body = TimeTrackerTokenRequest(
            code: link["code"] ?? "", state: link["state"] ?? "", redirectURI: Self.app)
        return try await client.send(
            ClientRequest(
                method: .post, url: gateway.address + "/auth/token", headers: ["Content-Type": JSON.mediaType],
                body: body.json.encoded()))
    }

    /// The token of a whole sign-in.
    func token() async throws -> String {
        let response = try await exchange(deepLink(at: one, backAt: other), at: one)
        return try JSON.decode(TimeTrackerTokenResponse.self, from: response.body).accessToken
    }

    func get(_ path: String, _ token: String? = nil, at gateway: RunningGateway) async throws -> ClientResponse {
        var request = ClientRequest(url: gateway.address + path)
        if let token { request.headers = ["Authorization": "Bearer \(token)"] }
        return try await client.send(request)
    }

    /// How many keys a gateway shows.
    func keyCount(at gateway: RunningGateway) async throws -> Int {
        let response = try await get("/.well-known/jwks.json", at: gateway)
        return try JSONValue(parsing: response.body)["keys"]?.array?.count ?? 0
    }

    /// What another library makes of a token, with the code of the documentation.
    func check(_ token: String, issuer: String = TimeTrackerFixture.address) async throws -> Program.Result {
        try await TokenCheck.run(
            [token], page: "timetracker-dialect.md", keys: one.address + "/.well-known/jwks.json", [issuer])
    }

    private static func location(_ response: ClientResponse) throws -> String {
        guard let location = response.headers["Location"] else {
            throw ChildProcess.Failure("Answered \(response.status): \(String(decoding: response.body, as: UTF8.self))")
        }
        return location
    }
}
