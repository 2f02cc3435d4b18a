import HTTPServer
import Wire

/// One way of speaking of the gateway: the routes of a family of servers, or of browsers and proxies.
///
/// A value without state: what it uses lives in the gateway.
///
/// Source: ARCHITECTURE.md, Dialects.
protocol GatewayDialect: Sendable {
    /// What its configuration keys begin with, such as `dialects.onyx`; named when two dialects have one route.
    var name: String { get }
    /// What stands before its paths; empty, or `/` and text without a `/` at the end.
    var prefix: String { get }

    /// Whether an address that has no route is this dialect's to refuse.
    func owns(_ path: String) -> Bool

    /// Under which other names than the server's own a route is served.
    func hostScope(of pattern: String) -> HostCheck.Scope

    /// The token of a request where it stands in a place of the dialect's own, besides `Authorization` and the session cookie.
    func token(of request: ServerRequest) -> String?

    /// The statuses with which the dialect refuses a body that it cannot read.
    var unreadable: Set<HTTPStatus> { get }

    /// Adds the routes.
    func add(to router: inout Router)

    /// The answer of the server itself, before any route, in this dialect's envelope.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse
}

extension GatewayDialect {
    /// Only under the server's own name.
    func hostScope(of pattern: String) -> HostCheck.Scope { .own }

    /// 400 and 422.
    var unreadable: Set<HTTPStatus> { [.badRequest, .unprocessableContent] }

    /// No place of its own.
    func token(of request: ServerRequest) -> String? { nil }

    /// Whatever lies below the prefix.
    func owns(_ path: String) -> Bool {
        prefix.isEmpty || path == prefix || path.hasPrefix(prefix + "/")
    }
}

/// The dialects of a gateway as one router.
enum GatewayDialects {
    /// The largest body of a route without a limit of its own, in bytes: addresses, passwords and tokens are far smaller. A
    /// route that takes more checks the token before the body is read.
    static let largestUnknownBody = 16_384

    /// Puts the routes of all dialects together, with each one's envelope for the server's own refusals.
    ///
    /// - Parameters:
    ///   - dialects: The dialects; the first is asked for a refusal where several own an address alike.
    ///   - check: The check of `Host` before every route; nil accepts every host.
    ///   - callers: The limit on addresses that send too many unreadable bodies, before every route; nil for none.
    ///   - others: Adds the routes that belong to none.
    ///   - otherScope: Under which other names those are served.
    /// - Returns: The router.
    /// - Throws: ``GatewayError/Code/routes`` when two of them have one route.
    static func router(
        _ dialects: [any GatewayDialect], check: HostCheck?, callers: UnknownCallers? = nil,
        others: (inout Router) -> Void,
        otherScope: (_ pattern: String) -> HostCheck.Scope = { _ in .own }
    ) throws(GatewayError) -> Router {
        let byPrefix = dialects.enumerated().sorted {
            ($1.element.prefix.utf8.count, $0.offset) < ($0.element.prefix.utf8.count, $1.offset)
        }.map(\.element)
        let serverError: Router.ErrorResponse = { status, sentence, request in
            let owner = byPrefix.first { $0.owns(request.path) }
            return owner?.serverError(status, sentence, request) ?? OnyxAnswers.serverError(status, sentence)
        }
        var router = Router(maximumBodyBytes: largestUnknownBody, errorResponse: serverError)
        func add(_ routes: Router, _ dialect: (any GatewayDialect)?, _ scope: (String) -> HostCheck.Scope) {
            router.add(
                routes,
                checking: { route in
                    let scope = scope(route.pattern)
                    guard let check, scope != .anyHost else { return nil }
                    return { request in
                        guard !check.allows(request, for: scope) else { return nil }
                        return serverError(.misdirectedRequest, Self.misdirected, RefusedRequest(request))
                    }
                },
                wrappingBodies: callers.map { limit($0, dialect) })
        }
        func limit(_ callers: UnknownCallers, _ dialect: (any GatewayDialect)?) -> Router.Wrapper {
            { request, handler in
                await callers.answer(
                    request, token: dialect?.token(of: request), refusals: dialect?.unreadable ?? [.badRequest],
                    tooMany: { wait in
                        let refused = RefusedRequest(request)
                        return serverError(.tooManyRequests, Self.tooMany, refused).retry(after: wait)
                    }, handler)
            }
        }
        var general = Router()
        others(&general)
        add(general, nil, otherScope)
        var owners = Dictionary(router.routes.map { ($0, nil as String?) }) { first, _ in first }
        for dialect in dialects {
            var own = Router()
            dialect.add(to: &own)
            for route in own.routes {
                guard let owner = owners.updateValue(dialect.name, forKey: route) else { continue }
                throw conflict(route, dialect, owner)
            }
            add(own, dialect) { dialect.hostScope(of: $0) }
        }
        return router
    }

    private static let misdirected =
        "This server is not at this address. Ask at its public_url; a proxy before it must hand the client's Host on."

    private static let tooMany = "Too many requests from your address could not be read; try again later."

    private static func conflict(
        _ route: Router.Route, _ dialect: any GatewayDialect, _ owner: String?
    ) -> GatewayError {
        let other = owner.map { "'\($0)'" } ?? "the gateway itself"
        return GatewayError(
            .routes,
            "Both '\(dialect.name)' and \(other) answer \(route.method.rawValue) \(route.pattern): "
                + "give '\(dialect.name)' another prefix, such as \(dialect.name).prefix: /"
                + "\(dialect.name.split(separator: ".").last ?? "own").")
    }
}
