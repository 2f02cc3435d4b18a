import HTTPClient
import HTTPMessages
import TestSupport

/// Two gateways behind one address, on one database, with the sandbox's issuer as identity provider.
struct TwoGateways {
    /// Where a load balancer would listen; nobody does, and each step of a sign-in chooses its gateway itself.
    private static let address = "http://127.0.0.1:7"

    /// Where the codes are stored, if not in the database.
    let redis: RedisServer?
    let sandbox: RunningSandbox
    let one: RunningGateway
    let other: RunningGateway
    private let client: HTTPClient
    private let app: AppSignIn

    /// Starts the programs.
    ///
    /// - Parameter codes: The value of `bridge.codes`.
    /// - Throws: An error if one of them does not start.
    init(codes: String = "redis") async throws {
        redis = codes == "redis" ? try await RedisServer() : nil
        let fixture = try SystemFixture()
        sandbox = try await RunningSandbox(
            SystemFixture(sharing: fixture, ["TMPDIR": fixture.folder.path]), "--client",
            "gateways=\(Self.address)\(AppSignIn.callback)")
        let configured = SystemFixture(
            sharing: fixture,
            ["LATCHD_PUBLIC_URL": Self.address, "LATCHD_BRIDGE_CODES": codes]
                .merging(AppSignIn.environment(sandbox)) { $1 }
                .merging(redis.map { ["LATCHD_REDIS_URL": $0.url] } ?? [:]) { $1 })
        one = try await configured.startGateway()
        other = try await configured.startGateway()
        client = try HTTPClient()
        app = AppSignIn(address: Self.address, sandbox: sandbox, client: client)
    }

    /// Goes from the app's request to the deep link: to `begin`, to the provider, back to `end`.
    func authorize(at begin: RunningGateway, backAt end: RunningGateway) async throws -> AppSignIn.AppCallback {
        try await app.authorize(at: begin.address, backAt: end.address)
    }

    /// Exchanges a code.
    func exchange(_ appCallback: AppSignIn.AppCallback, at gateway: RunningGateway) async throws -> ClientResponse {
        try await app.exchange(appCallback, at: gateway.address)
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
}
