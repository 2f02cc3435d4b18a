import FoundationEssentials
import HTTPMessages
import JOSE
import OpenIDConnect
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import LatchGateway

/// A gateway that speaks as Relate Mail does, beside an issuer of tokens.
struct RelateMailFixture: Sendable {
    static let credentials = "/api/smtp-credentials"

    let base: GatewayFixture
    let issuer: TokenIssuer

    /// Runs `body` with both and closes everything after it.
    static func with(
        _ change: @escaping @Sendable (inout GatewaySettings) -> Void = { _ in },
        provider changeProvider: @escaping @Sendable (inout ProviderConfiguration) -> Void = { _ in },
        _ body: (RelateMailFixture) async throws -> Void
    ) async throws {
        let clock = TestClock()
        let issuer = try await TokenIssuer.start(now: { clock.now })
        var provider = ProviderConfiguration(
            id: "sso", kind: .oidc, title: "Sign in",
            settings: ProviderSettings(
                issuer: issuer.issuer, clientID: "gateway", timeout: SuccessTimeout.duration),
            linksByEmail: true,
            allowsRegistration: true)
        changeProvider(&provider)
        try await attempt {
            try await GatewayFixture.with(
                { settings in
                    settings.relateMail.isEnabled = true
                    settings.relateMail.clientID = TokenIssuer.clientID
                    settings.requestRates.credentials = .perMinute(1_000)
                    settings.providers = [provider]
                    change(&settings)
                }, clock: clock
            ) { try await body(RelateMailFixture(base: $0, issuer: issuer)) }
        } finally: {
            await issuer.stop()
        }
    }

    func send(
        _ method: String, _ path: String, _ authorization: String?, _ body: JSONValue? = nil,
        more: [(String, String)] = []
    ) async throws -> Exchange.Response {
        var headers = more
        if let authorization { headers.append(("Authorization", authorization)) }
        if body != nil { headers.append(("Content-Type", "application/json")) }
        return try await base.http.send(
            method, path, headers: headers, body: body.map { String(decoding: $0.encoded(), as: UTF8.self) })
    }

    /// The field of a token of the issuer, as ``TokenIssuer/token(_:type:key:)`` makes it.
    func bearer(
        _ changes: [String: JSONValue?] = [:], type: String? = "at+jwt", key: SigningKey? = nil
    ) throws -> String {
        "Bearer " + (try issuer.token(changes, type: type, key: key))
    }

    func profile(_ authorization: String?) async throws -> Exchange.Response {
        try await send("GET", "/api/profile", authorization)
    }

    /// Makes a key with `authorization` and returns the answer.
    func make(
        _ authorization: String, name: String = "a key", scopes: [String]? = nil
    ) async throws -> Exchange.Response {
        var members = [JSONValue.Member("name", .string(name))]
        if let scopes { members.append(.init("scopes", .array(scopes.map(JSONValue.string)))) }
        return try await send("POST", Self.credentials, authorization, .object(members))
    }

    /// A key with these scopes, made with a token of the issuer.
    func key(_ scopes: [String]? = nil, subject: String = "ada-1", email: String = GatewayFixture.email) async throws
        -> Key
    {
        let token = try issuer.token(["sub": .string(subject), "email": .string(email)])
        let response = try await make("Bearer \(token)", scopes: scopes)
        return Key(
            id: try (response.json?["id"]?.string).orThrow, text: try (response.json?["apiKey"]?.string).orThrow)
    }

    struct Key: Sendable {
        let id: String
        let text: String
        var authorization: String { "ApiKey \(text)" }
    }

    func revoke(_ id: String, _ authorization: String) async throws -> Exchange.Response {
        try await send("DELETE", "\(Self.credentials)/\(id)", authorization)
    }

    /// The keys that are listed.
    func listed(_ authorization: String) async throws -> [JSONValue] {
        try await send("GET", Self.credentials, authorization).json?["keys"]?.array ?? []
    }

    /// The audit events of a kind.
    func events(_ kind: String) -> [JSONValue] {
        base.lines.audit.filter { $0["event"]?.string == kind }
    }
}
