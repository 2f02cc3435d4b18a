package import HTTPMessages
package import HTTPServer

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

    /// Returns what a page of another origin may make a browser send to a route. Default: ``SiteCheck/Scope/pages``.
    func siteScope(of route: Router.Route) -> SiteCheck.Scope

    /// Returns the token of a request from a place that only this dialect uses, besides `Authorization` and the session
    /// cookie. Default: nil.
    func token(of request: ServerRequest) -> String?

    /// The statuses of responses to a body that the dialect cannot read. Default: 400 and 422.
    var unreadable: Set<HTTPStatus> { get }

    /// Whether the routes count bodies that they cannot read, so that ``UnknownCallers`` need not. Default: false.
    var countsBodies: Bool { get }

    /// Whether the routes verify proofs of possession themselves. Default: false, ``DialectRouter`` does it.
    var checksProofs: Bool { get }

    /// Returns the response to a request whose proof of possession is refused. Default: 401 in this dialect's envelope,
    /// with the challenge.
    func proofError(_ refusal: ProofRefusal, for request: ServerRequest) -> ServerResponse

    /// Adds the routes to a router.
    func add(to router: inout Router)

    /// Runs the dialect's background work until the task is cancelled. Default: there is none.
    func run(clock: some Clock<Duration>) async

    /// Reads now what the background work reads from time to time. Default: there is nothing to read.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`.
    func scan() async throws

    /// Drops what the dialect caches from the database, because another process may have changed it. Default:
    /// the dialect caches nothing.
    func invalidateCache()

    /// Returns the response to a request that the server refuses before any route runs, in this dialect's envelope.
    func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse
}

extension GatewayDialect {
    /// Returns ``HostCheck/Scope/own``: the route is served only under the server's own name.
    package func hostScope(of pattern: String) -> HostCheck.Scope { .own }

    /// Returns ``SiteCheck/Scope/pages``: browsers can be sent to the route, and nothing else.
    package func siteScope(of route: Router.Route) -> SiteCheck.Scope { .pages }

    /// False: ``DialectRouter`` verifies proofs of possession.
    package var checksProofs: Bool { false }

    /// 401 in this dialect's envelope, with the challenge.
    package func proofError(_ refusal: ProofRefusal, for request: ServerRequest) -> ServerResponse {
        refusal.challenging(serverError(.unauthorized, "\(refusal.sentence)", for: RefusedRequest(request)))
    }

    /// False.
    package var countsBodies: Bool { false }

    /// 400 and 422.
    package var unreadable: Set<HTTPStatus> { [.badRequest, .unprocessableContent] }

    /// Returns at once: the dialect has no background work.
    package func run(clock: some Clock<Duration>) async {}

    /// Reads nothing.
    package func scan() async throws {}

    /// Does nothing.
    package func invalidateCache() {}

    /// Nil: the dialect has no separate place for tokens.
    package func token(of request: ServerRequest) -> String? { nil }

    /// Whether the path is the prefix or lies below it.
    package func owns(_ path: String) -> Bool {
        prefix.isEmpty || path == prefix || path.hasPrefix(prefix + "/")
    }
}
