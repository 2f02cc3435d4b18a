import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// A gateway with every dialect and the pages, and a request for each of its routes.
struct EveryDialect: Sendable {
    let bridge: BridgeFixture

    var base: GatewayFixture { bridge.base }
    var routes: [Router.Route] { base.gateway.router.routes }

    static func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (EveryDialect) async throws -> Void
    ) async throws {
        func set(_ settings: inout GatewaySettings) {
            settings.immich.isEnabled = true
            settings.immich.prefix = "/immich/api"
            settings.immich.allowsEmailChange = true
            settings.timeTracker.isEnabled = true
            settings.timeTracker.prefix = "/tt"
            settings.timeTracker.startRate = .perMinute(100_000)
            settings.relateMail.isEnabled = true
            settings.relateMail.prefix = "/rm"
            settings.pages.isEnabled = true
            settings.verify.isEnabled = true
            settings.verify.rules.rules = [
                AccessDraft(
                    hosts: ["app.example.org"], paths: [], methods: [], allow: .signedIn, users: [], groups: []
                ).rule("app")
            ]
            settings.trustedProxies = TrustedProxies([IPNetwork("127.0.0.0/8")].compactMap { $0 })
            settings.requestRates = RequestRates()
            settings.requestRates.address = .perMinute(1_000_000)
            settings.requestRates.client = .perMinute(1_000_000)
            settings.requestRates.credentials = .perMinute(1_000_000)
            settings.requestRates.general = .perMinute(1_000_000)
            settings.requestRates.writes = .perMinute(1_000_000)
            settings.requestRates.signIns = .perMinute(1_000_000)
            change(&settings)
        }
        try await BridgeFixture.with(["google"], set) { try await body(EveryDialect(bridge: $0)) }
    }

    /// The name of a route, such as `POST /latch/account/pin`.
    static func name(_ route: Router.Route) -> String { "\(route.method.rawValue) \(route.pattern)" }

    /// Sends a request to a route, with what it needs: a form's token and cookie, or a proxy's fields.
    func send(
        _ route: Router.Route, _ token: String?, id: String = UUID().uuidString.lowercased(), body: JSONValue? = nil,
        fields: [(String, String)] = []
    ) async throws -> Exchange.Response {
        let path = route.pattern.replacing("{*}", with: "x").replacing("{}", with: id)
        let method = route.method.rawValue
        if path.hasPrefix("/latch") { return try await page(method, path, token, fields) }
        var headers = GatewayFixture.bearer(token)
        if path == "/auth/verify" {
            headers += [
                ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"),
                ("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/"),
            ]
        }
        guard route.method != .get, route.method != .head else {
            return try await base.http.send(method, path, headers: headers)
        }
        headers.append(("Content-Type", "application/json"))
        let text = String(decoding: (body ?? .object([])).encoded(), as: UTF8.self)
        return try await base.http.send(method, path, headers: headers, body: text)
    }

    private func page(
        _ method: String, _ path: String, _ token: String?, _ fields: [(String, String)]
    ) async throws -> Exchange.Response {
        var headers = [("Sec-Fetch-Site", "same-origin"), ("Accept", "text/html")]
        var all = fields
        if let token {
            headers.append(("Cookie", "latchd_session=\(token)"))
            guard let session = try await base.gateway.issuer.authenticate(token).session,
                let keys = base.gateway.services.keys
            else { throw Exchange.Broken() }
            all.append((FormTokens.field, FormTokens(keys).token(of: .session(session.id))))
        }
        guard method == "POST" else { return try await base.http.send(method, path, headers: headers) }
        headers.append(("Content-Type", FormURLEncoded.mediaType))
        return try await base.http.send(method, path, headers: headers, body: FormURLEncoded.encode(all))
    }

    /// The token of a new session of a person.
    func token(of person: Person) async throws -> String {
        let person = try await base.gateway.stores.people.find(id: person.id).orThrow
        return try await base.gateway.issuer.issue(for: person, device: SessionDevice()).token.reveal()
    }
}
