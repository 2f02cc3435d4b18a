import FoundationEssentials
import HTTPMessages

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// A gateway with the Immich dialect, and a client of it.
struct ImmichFixture: Sendable {
    let base: GatewayFixture

    /// Where a token stands in a request.
    enum Place: CaseIterable, Sendable {
        case bearer, userToken, sessionToken, cookie

        func fields(_ token: String) -> [(String, String)] {
            switch self {
            case .bearer: [("Authorization", "Bearer \(token)")]
            case .userToken: [("x-immich-user-token", token)]
            case .sessionToken: [("x-immich-session-token", token)]
            case .cookie: [("Cookie", "immich_access_token=\(token)")]
            }
        }
    }

    /// Runs `body` with a gateway that speaks Immich at `/immich/api`, and Ada in it.
    static func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (ImmichFixture) async throws -> Void
    ) async throws {
        try await GatewayFixture.with { settings in
            settings.immich.isEnabled = true
            settings.immich.prefix = "/immich/api"
            change(&settings)
        } _: { base in
            try await base.addPerson()
            try await body(ImmichFixture(base: base))
        }
    }

    /// Sends JSON, or nothing, to a path below the prefix.
    func send(
        _ method: String, _ path: String, _ token: String? = nil, in place: Place = .bearer, _ body: JSONValue? = nil,
        headers: [(String, String)] = []
    ) async throws -> Exchange.Response {
        var fields = headers + (token.map(place.fields) ?? [])
        if body != nil { fields.append(("Content-Type", "application/json")) }
        return try await base.http.send(
            method, "/immich/api" + path, headers: fields,
            body: body.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? (method == "GET" ? nil : ""))
    }

    func login(
        _ email: String = GatewayFixture.email, password: String = GatewayFixture.password,
        headers: [(String, String)] = []
    ) async throws -> Exchange.Response {
        try await send(
            "POST", "/auth/login", ["email": .string(email), "password": .string(password)], headers: headers)
    }

    private func send(
        _ method: String, _ path: String, _ body: JSONValue, headers: [(String, String)]
    ) async throws -> Exchange.Response {
        try await send(method, path, nil, body, headers: headers)
    }

    /// The token of a new session.
    func token() async throws -> String {
        try await login().json?["accessToken"]?.string.orThrow ?? { throw Exchange.Broken() }()
    }

    /// Ada's one session.
    func session() async throws -> SessionID {
        try await base.gateway.stores.sessions.ownSessions(of: try await person().id).first.orThrow.id
    }

    /// The person's id.
    func person() async throws -> Person {
        try await base.gateway.stores.people.require(GatewayFixture.email)
    }
}

extension Exchange.Response {
    /// The sentence of a refusal in Immich's envelope.
    var refusal: String? { json?["message"]?.string }

    /// The cookies that are set, by name, with everything behind it.
    var cookies: [String: String] {
        let pairs = headers.values("Set-Cookie").map { cookie in
            let parts = cookie.split(separator: "=", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
