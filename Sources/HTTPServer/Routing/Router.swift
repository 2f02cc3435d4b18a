public import Wire

/// Which handler answers which method and path.
///
/// A pattern such as `/api/sessions/{id}` has a type for each placeholder, in order; one that ends with `{rest*}` takes
/// whatever is there, as one `String`. A path without placeholders wins
/// over one with. `HEAD` is answered by the handler of `GET` and `OPTIONS` with 204 and `Allow`, unless a route says
/// otherwise. A trailing slash makes another path.
public struct Router: Sendable {
    /// Makes the answer for what the server refuses itself: 400, 404, 405, 408, 413, 417, 431, 500, 501, 503
    /// and 505.
    ///
    /// `Allow` is added to a 405 afterwards.
    public typealias ErrorResponse = @Sendable (HTTPStatus, String, RefusedRequest) -> ServerResponse

    /// What answers the requests of one route; nil where the path's parameters are not of their types.
    struct Handler: Sendable {
        let synchronousHandler: (@Sendable (ServerRequest, [String]) -> ServerResponse?)?
        let run: @Sendable (ServerRequest, [String]) async -> ServerResponse?
        let maximumBodyBytes: Int?
        var admission: Admission?

        /// The same handler behind `check`, which may answer in its place. `synchronousHandler` always runs before `run`, so `check`
        /// always runs first.
        func behind(_ check: @escaping @Sendable (ServerRequest) -> ServerResponse?) -> Handler {
            let (first, admit) = (synchronousHandler, admission)
            var checked: Admission?
            if let admit {
                checked = { request in
                    if let answer = check(request) { return answer }
                    return await admit(request)
                }
            }
            return Handler(
                synchronousHandler: { request, values in check(request) ?? first?(request, values) }, run: run,
                maximumBodyBytes: maximumBodyBytes, admission: checked)
        }

        /// The same handler, called through `wrapper` for every request with a body.
        func wrapped(by wrapper: @escaping Wrapper) -> Handler {
            let (first, run) = (synchronousHandler, run)
            return Handler(
                synchronousHandler: { request, values in request.body.isEmpty ? first?(request, values) : nil },
                run: { request, values in
                    guard !request.body.isEmpty else { return await run(request, values) }
                    return await wrapper(request) {
                        if let answer = first?(request, values) { return answer }
                        return await run(request, values)
                    }
                }, maximumBodyBytes: maximumBodyBytes, admission: admission)
        }
    }

    /// Calls the handler of a request, or answers in its place; nil where the path's parameters are not of their types.
    public typealias Wrapper =
        @Sendable (ServerRequest, _ handler: () async -> ServerResponse?) async -> ServerResponse?

    /// A check of a request's head before its body is read: nil lets the body come, an answer refuses it. The request that it
    /// gets has an empty body.
    ///
    /// For routes that take larger bodies than an unauthenticated client may send: all tokens are in the head.
    public typealias Admission = @Sendable (ServerRequest) async -> ServerResponse?

    /// A method and a pattern that a router answers.
    public struct Route: Hashable, Sendable {
        /// The method.
        public let method: HTTPMethod
        /// The path, with `{}` for each component that is a parameter.
        public let pattern: String
    }

    let errorResponse: ErrorResponse
    /// The largest body of a route without a limit of its own; nil means the server's limit.
    let maximumBodyBytes: Int?
    private var entries: [(method: HTTPMethod, pattern: String, handler: Handler)] = []
    private var fixed: [String: Endpoint] = [:]
    private var tree = RouteTree()

    /// Makes a router without routes.
    ///
    /// - Parameters:
    ///   - maximumBodyBytes: The largest body of a route without a limit of its own; the server's limit by default.
    ///   - errorResponse: The envelope of the server's own errors; by default the sentence as plain text.
    public init(
        maximumBodyBytes: Int? = nil,
        errorResponse: @escaping ErrorResponse = { status, message, _ in .text(message + "\n", status: status) }
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.errorResponse = errorResponse
    }

    /// Adds a route whose path has no parameters. A second handler for one method and pattern is a programmer's mistake
    /// and traps.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - pattern: The path.
    ///   - maximumBodyBytes: The largest body, where it is less than the server's own limit; the router's by default.
    ///   - admission: A check of the head before the body is read; by default every body is read.
    ///   - synchronousHandler: Asked first, and answers when it need not wait for anything; nil leaves the request to `handler`. A
    ///     task costs more than many an answer that is in memory.
    ///   - handler: Runs on the loop that has the connection: it must not block. When the client goes away its task is
    ///     cancelled and its answer dropped.
    public mutating func on(
        _ method: HTTPMethod, _ pattern: String, maximumBodyBytes: Int? = nil, admission: Admission? = nil,
        synchronousHandler: (@Sendable (ServerRequest) -> ServerResponse?)? = nil,
        handler: @escaping @Sendable (ServerRequest) async -> ServerResponse
    ) {
        Self.check(pattern, placeholders: 0)
        var first: (@Sendable (ServerRequest, [String]) -> ServerResponse?)?
        if let synchronousHandler { first = { request, _ in synchronousHandler(request) } }
        let made = Handler(
            synchronousHandler: first, run: { request, _ in await handler(request) },
            maximumBodyBytes: maximumBodyBytes,
            admission: admission)
        add(method, pattern, made)
    }

    /// Adds a route. Two handlers for one method and pattern, or another count of types than of placeholders, are a
    /// programmer's mistake and trap.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - pattern: The path, with `{name}` for a component that is a parameter.
    ///   - types: The parameters' types in order.
    ///   - maximumBodyBytes: The largest body, where it is less than the server's own limit.
    ///   - handler: Runs on the loop that has the connection: it must not block. When the client goes away its task is
    ///     cancelled and its answer dropped.
    public mutating func on<each P: PathParameter>(
        _ method: HTTPMethod, _ pattern: String, _ types: repeat (each P).Type,
        maximumBodyBytes: Int? = nil,
        handler: @escaping @Sendable (ServerRequest, repeat each P) async -> ServerResponse
    ) {
        var typeCount = 0
        for _ in repeat each types { typeCount += 1 }
        Self.check(pattern, placeholders: typeCount)
        let run: @Sendable (ServerRequest, [String]) async -> ServerResponse? = { request, components in
            var rest = components[...]
            func next<T: PathParameter>(_: T.Type) throws(Mismatch) -> T {
                guard let component = rest.popFirst(), let value = T(pathComponent: component) else { throw Mismatch() }
                return value
            }
            guard let values = try? (repeat next((each P).self)) else { return nil }
            return await handler(request, repeat each values)
        }
        add(method, pattern, Handler(synchronousHandler: nil, run: run, maximumBodyBytes: maximumBodyBytes))
    }

    /// What this router answers, in the order in which it was added.
    public var routes: [Route] {
        entries.map { method, pattern, _ in
            let parts = Self.parts(of: pattern).map { part in
                part.hasSuffix("*}") ? "{*}" : Self.isPlaceholder(part) ? "{}" : String(part)
            }
            return Route(method: method, pattern: "/" + parts.joined(separator: "/"))
        }
    }

    /// The largest body of each route, and whether the route has an admission check.
    var bodyLimits: [(route: Route, maximumBytes: Int, hasAdmission: Bool)] {
        zip(routes, entries).map { route, entry in
            (route, limit(of: entry.handler), entry.handler.admission != nil)
        }
    }

    /// The largest body of a handler's requests.
    func limit(of handler: Handler) -> Int { handler.maximumBodyBytes ?? maximumBodyBytes ?? .max }

    /// Adds all routes of another router, without its error envelope and its limit. A second handler for one of ``routes``
    /// traps.
    ///
    /// - Parameters:
    ///   - other: The router.
    ///   - check: Returns a check that runs before a route's handler and may answer in its place; nil for none.
    ///   - wrapper: Calls the handlers of requests with a body, after `check`; nil for none.
    public mutating func add(
        _ other: Router, checking check: (Route) -> (@Sendable (ServerRequest) -> ServerResponse?)? = { _ in nil },
        wrappingBodies wrapper: Wrapper? = nil
    ) {
        for (entry, route) in zip(other.entries, other.routes) {
            let handler = wrapper.map(entry.handler.wrapped) ?? entry.handler
            add(entry.method, entry.pattern, check(route).map(handler.behind) ?? handler)
        }
    }

    private mutating func add(_ method: HTTPMethod, _ pattern: String, _ handler: Handler) {
        entries.append((method, pattern, handler))
        let parts = Self.parts(of: pattern)
        guard parts.contains(where: Self.isPlaceholder) else {
            return fixed[pattern, default: Endpoint(pattern: pattern)].add(method, handler)
        }
        tree.add(parts[...], pattern: pattern, method, handler)
    }

    private static func parts(of pattern: String) -> [Substring] {
        pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func isPlaceholder(_ part: Substring) -> Bool {
        part.hasPrefix("{") && part.hasSuffix("}")
    }

    private static func check(_ pattern: String, placeholders: Int) {
        precondition(pattern.hasPrefix("/"), "The pattern '\(pattern)' must begin with a slash.")
        let found = parts(of: pattern).count(where: isPlaceholder)
        precondition(found == placeholders, "The pattern '\(pattern)' must have one type for each placeholder.")
    }

    private struct Mismatch: Error {}

    /// What answers a request.
    enum Match {
        case handler(Handler, [String], pattern: String)
        case allow(String, pattern: String)
        case methodNotAllowed(allow: String, pattern: String)
        case notFound
    }

    func match(_ method: HTTPMethod, path: String) -> Match {
        if let endpoint = fixed[path] { return endpoint.match(method, []) }
        if path == "*" { return .allow("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS", pattern: "*") }
        if tree.isEmpty, !path.utf8.contains(UInt8(ascii: "%")) { return .notFound }
        let components = RequestTarget.components(of: path)
        if let endpoint = fixed["/" + components.joined(separator: "/")],
            !components.contains(where: { $0.contains("/") })
        {
            return endpoint.match(method, [])
        }
        guard let (endpoint, values) = tree.find(components[...]) else { return .notFound }
        return endpoint.match(method, values)
    }
}
