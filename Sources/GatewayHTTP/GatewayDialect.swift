package import GatewayCore
package import HTTPServer
package import Wire

/// A group of routes of the gateway: for the clients of one server family, for browsers, or for proxies.
///
/// A value without state. The stores and settings that it uses belong to the gateway.
///
/// Source: ARCHITECTURE.md, Dialects.
package protocol GatewayDialect: Sendable {
    /// The beginning of its configuration keys, such as `dialects.onyx`. It appears in the error when two dialects have
    /// the same route.
    var name: String { get }
    /// The path prefix of its routes. Empty, or `/` followed by text without a trailing `/`.
    var prefix: String { get }

    /// Whether this dialect sends the error response for a path without a route.
    func owns(_ path: String) -> Bool

    /// Returns under which host names a route is served, in addition to the server's own. Default: none.
    func hostScope(of pattern: String) -> HostCheck.Scope

    /// Returns the token of a request from a place that only this dialect uses, besides `Authorization` and the session
    /// cookie. Default: nil.
    func token(of request: ServerRequest) -> String?

    /// The statuses of responses to a body that the dialect cannot read. Default: 400 and 422.
    var unreadable: Set<HTTPStatus> { get }

    /// Adds the routes to a router.
    func add(to router: inout Router)

    /// Runs the dialect's background work until the task is cancelled. Default: there is none.
    func run(clock: some Clock<Duration>) async

    /// Reads now what the background work reads from time to time. Default: there is nothing to read.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`.
    func scan() async throws

    /// Forgets what the dialect remembers of the database, because another process may have changed it. Default:
    /// the dialect remembers nothing.
    func forget()

    /// Returns the response to a request that the server refuses before any route runs, in this dialect's envelope.
    func serverError(_ status: HTTPStatus, _ sentence: String, _ request: RefusedRequest) -> ServerResponse
}

extension GatewayDialect {
    /// Returns ``HostCheck/Scope/own``: the route is served only under the server's own name.
    package func hostScope(of pattern: String) -> HostCheck.Scope { .own }

    /// 400 and 422.
    package var unreadable: Set<HTTPStatus> { [.badRequest, .unprocessableContent] }

    /// Returns at once: the dialect has no background work.
    package func run(clock: some Clock<Duration>) async {}

    /// Reads nothing.
    package func scan() async throws {}

    /// Forgets nothing.
    package func forget() {}

    /// Nil: the dialect has no place of its own for tokens.
    package func token(of request: ServerRequest) -> String? { nil }

    /// Whether the path is the prefix or lies below it.
    package func owns(_ path: String) -> Bool {
        prefix.isEmpty || path == prefix || path.hasPrefix(prefix + "/")
    }
}

/// Combines the dialects of a gateway into one router.
package enum DialectRouter {
    /// The maximum size of a body, in bytes, on routes without a limit of their own. Addresses, passwords and tokens
    /// are far smaller. A route with a larger limit checks the token before the body is read.
    package static let largestUnknownBody = 16_384

    /// Creates a router with the routes of all dialects. The server's own errors have the envelope of the dialect that
    /// owns the path.
    ///
    /// - Parameters:
    ///   - dialects: The dialects. When several own a path with prefixes of the same length, the first of them sends
    ///     the error response.
    ///   - check: The check of `Host` before every route; nil accepts every host.
    ///   - callers: The limit for addresses that send too many unreadable bodies, before every route; nil for no limit.
    ///   - others: Adds the routes that belong to no dialect.
    ///   - otherScope: Returns under which other names those routes are served.
    /// - Returns: The router.
    /// - Throws: ``GatewayError/Code/routes`` when two dialects have the same route.
    package static func router(
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
        "This server does not serve this host name. Use its public_url. A proxy in front of it must pass on the "
        + "client's Host."

    private static let tooMany = "Too many invalid requests from your address. Try again later."

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
