package import GatewayCore
import HTTPMessages
package import HTTPServer

/// Combines the dialects of a gateway into one router.
package enum DialectRouter {
    /// The maximum size of a body, in bytes, on routes without a separate limit. Addresses, passwords and tokens
    /// are far smaller. A route with a larger limit checks the token before the body is read.
    package static let largestUnknownBody = 16_384

    /// Creates a router with the routes of all dialects. The server's own errors have the envelope of the dialect that
    /// has a route for the path. For a path without a route, it is the dialect that owns the path, and for a browser at
    /// such a path the dialect of the pages.
    ///
    /// - Parameters:
    ///   - dialects: The dialects. When several own a path with prefixes of the same length, the first of them sends
    ///     the error response.
    ///   - bans: The check of banned addresses before everything else; nil when no address is banned.
    ///   - check: The check of `Host` before every route; nil accepts every host.
    ///   - sites: The check of requests from pages of other origins, before every route; nil accepts all of them. Routes
    ///     that belong to no dialect are checked if they change something.
    ///   - callers: The limit for addresses that send too many unreadable bodies, before every route; nil for no limit.
    ///   - proofs: The check of proofs of possession, before every route of a dialect that does not make it itself; nil
    ///     when the server accepts none.
    ///   - pages: The dialect that answers browsers at paths without a route. Nil when there are no pages.
    ///   - others: Adds the routes that belong to no dialect.
    ///   - otherScope: Returns under which other names those routes are served.
    /// - Returns: The router.
    /// - Throws: ``GatewayError/Code/routes`` when two dialects have the same route.
    package static func router(
        _ dialects: [any GatewayDialect], bans: BanCheck? = nil, check: HostCheck?, sites: SiteCheck? = nil,
        callers: UnknownCallers? = nil, proofs: ProofVerifier? = nil, pages: (any GatewayDialect)? = nil,
        others: (inout Router) -> Void,
        otherScope: (_ pattern: String) -> HostCheck.Scope = { _ in .own }
    ) throws(GatewayError) -> Router {
        let byPrefix = dialects.enumerated().sorted {
            ($1.element.prefix.utf8.count, $0.offset) < ($0.element.prefix.utf8.count, $1.offset)
        }.map(\.element)
        let parts = dialects.map { dialect in
            var routes = Router()
            dialect.add(to: &routes)
            return (dialect: dialect, routes: routes)
        }
        let serverError: Router.ErrorResponse = { status, sentence, request in
            let isBrowser = [.get, .head].contains(request.method) && request.headers.acceptsPage
            let owner =
                parts.first { $0.routes.hasRoute(at: request.path) }?.dialect
                ?? (isBrowser ? pages : nil) ?? byPrefix.first { $0.owns(request.path) }
            return owner?.serverError(status, sentence, for: request) ?? DefaultResponses.serverError(status, sentence)
        }
        var router = Router(maximumBodyBytes: largestUnknownBody, errorResponse: serverError)
        func add(_ routes: Router, of dialect: (any GatewayDialect)?, scope: (String) -> HostCheck.Scope) {
            router.add(
                routes,
                checking: { route in
                    let scope = scope(route.pattern)
                    let siteScope = dialect?.siteScope(of: route) ?? (route.method == .get ? .everything : .pages)
                    let (check, sites) = (scope == .anyHost ? nil : check, siteScope == .everything ? nil : sites)
                    guard bans != nil || check != nil || sites != nil else { return nil }
                    return { request in
                        if let refusal = bans?.response(to: request) { return refusal }
                        if let check, !check.allows(request, for: scope) {
                            return serverError(.misdirectedRequest, Self.misdirected, RefusedRequest(request))
                        }
                        if let sites, !sites.allows(request, for: siteScope) {
                            return serverError(.forbidden, Self.otherSite, RefusedRequest(request))
                        }
                        return nil
                    }
                },
                wrappingBodies: dialect?.countsBodies == true ? nil : callers.map { limit($0, dialect) },
                wrapping: proofs.flatMap { proofs in
                    dialect.flatMap { $0.checksProofs ? nil : Self.prove(proofs, $0) }
                })
        }
        func limit(_ callers: UnknownCallers, _ dialect: (any GatewayDialect)?) -> Router.Wrapper {
            { request, handler in
                await callers.response(
                    request, token: dialect?.token(of: request), refusals: dialect?.unreadable ?? [.badRequest],
                    tooMany: { wait in
                        let refused = RefusedRequest(request)
                        return serverError(.tooManyRequests, Self.tooMany, refused).retry(after: wait)
                    }, handler)
            }
        }
        var general = Router()
        others(&general)
        add(general, of: nil, scope: otherScope)
        var owners = Dictionary(router.routes.map { ($0, nil as String?) }) { first, _ in first }
        for (dialect, routes) in parts {
            for route in routes.routes {
                guard let owner = owners.updateValue(dialect.name, forKey: route) else { continue }
                throw conflict(at: route, of: dialect, with: owner)
            }
            add(routes, of: dialect) { dialect.hostScope(of: $0) }
        }
        return router
    }

    /// Returns the wrapper that verifies the proofs of requests to a dialect.
    private static func prove(_ proofs: ProofVerifier, _ dialect: any GatewayDialect) -> Router.ConditionalWrapper {
        @Sendable func limit(_ request: ServerRequest) -> (Duration) -> ServerResponse {
            { wait in
                dialect.serverError(.tooManyRequests, Self.tooMany, for: RefusedRequest(request)).retry(after: wait)
            }
        }
        return Router.ConditionalWrapper(
            if: ProofVerifier.hasProof,
            { request, handler in
                await proofs.response(
                    request, refuse: { dialect.proofError($0, for: request) }, limit: limit(request), handler)
            },
            admission: { admit in
                { request in
                    guard ProofVerifier.hasProof(request) else { return await admit(request) }
                    // The proof is recorded when the request is handled.
                    return await proofs.response(
                        request, records: false, refuse: { dialect.proofError($0, for: request) },
                        limit: limit(request)
                    ) { await admit(request) }
                }
            })
    }

    private static let misdirected =
        "This server does not serve this host name. Use its public_url. A proxy in front of it must pass on the "
        + "client's Host."

    private static let otherSite =
        "A page of another site sent this request. Open this server's own page, or use an app."

    private static let tooMany = "Too many invalid requests from your address. Try again later."

    private static func conflict(
        at route: Router.Route, of dialect: any GatewayDialect, with owner: String?
    ) -> GatewayError {
        let other = owner.map { "'\($0)'" } ?? "the gateway itself"
        return GatewayError(
            .routes,
            "Both '\(dialect.name)' and \(other) answer \(route.method.rawValue) \(route.pattern): "
                + "give '\(dialect.name)' another prefix, such as \(dialect.name).prefix: /"
                + "\(dialect.name.split(separator: ".").last ?? "own").")
    }
}
