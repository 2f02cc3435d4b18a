package import HTTPMessages

/// The assignment of handlers to methods and paths.
///
/// A pattern such as `/api/sessions/{id}` has a type for each placeholder, in order. A pattern that ends with `{rest*}`
/// matches all remaining components, as one `String`. A path without placeholders has precedence over a path with
/// placeholders. Without a separate route, `HEAD` is handled by the handler of `GET`, and `OPTIONS` gets 204 with
/// `Allow`. A trailing slash makes a different path.
package struct Router: Sendable {
    /// Returns the response to a request that the server itself refuses: 400, 404, 405, 408, 413, 417, 431, 500, 501,
    /// 503 and 505.
    ///
    /// `Allow` is added to a 405 afterwards.
    package typealias ErrorResponse = @Sendable (HTTPStatus, String, RefusedRequest) -> ServerResponse

    /// The handler of a route. Its functions return nil when the path parameters do not have the types of the route.
    struct Handler: Sendable {
        let synchronousHandler: (@Sendable (ServerRequest, [String]) -> FirstStep?)?
        let run: @Sendable (ServerRequest, [String]) async -> ServerResponse?
        let maximumBodyBytes: Int?
        var admission: Admission?

        /// Returns this handler with a preceding `check`, which may return a response instead.
        /// `synchronousHandler` always runs before `run`, so `check` always runs first.
        func behind(_ check: @escaping @Sendable (ServerRequest) -> ServerResponse?) -> Handler {
            let (first, admit) = (synchronousHandler, admission)
            var checked: Admission?
            if let admit {
                // The admission runs before the handler, so the check must precede it too.
                checked = { request in
                    if let response = check(request) { return response }
                    return await admit(request)
                }
            }
            return Handler(
                synchronousHandler: { request, values in
                    check(request).map(FirstStep.response) ?? first?(request, values)
                }, run: run,
                maximumBodyBytes: maximumBodyBytes, admission: checked)
        }

        /// Returns this handler, called by `wrapper` for every request that `isWrapped` accepts.
        func wrapped(
            by wrapper: @escaping Wrapper, if isWrapped: @escaping @Sendable (ServerRequest) -> Bool
        ) -> Handler {
            let (first, run) = (synchronousHandler, run)
            return Handler(
                // `run` calls the synchronous handler of a wrapped request, because only `run` can call the wrapper.
                synchronousHandler: { request, values in isWrapped(request) ? nil : first?(request, values) },
                run: { request, values in
                    guard isWrapped(request) else { return await run(request, values) }
                    return await wrapper(request) {
                        switch first?(request, values) {
                        case .response(let response)?: response
                        case .wait(let work)?: await work()
                        case nil: await run(request, values)
                        }
                    }
                }, maximumBodyBytes: maximumBodyBytes, admission: admission)
        }
    }

    /// The result of the first step of a route, which does not wait.
    package enum FirstStep: Sendable {
        /// The response.
        case response(ServerResponse)
        /// Work that must wait, and then returns the response. It can use what the first step has read and calculated.
        case wait(@Sendable () async -> ServerResponse)
    }

    /// Calls the handler of a request, or returns a response instead. Returns nil when the path parameters do not
    /// have the types of the route.
    package typealias Wrapper =
        @Sendable (ServerRequest, _ handler: () async -> ServerResponse?) async -> ServerResponse?

    /// A wrapper for some requests.
    package struct ConditionalWrapper: Sendable {
        let condition: @Sendable (ServerRequest) -> Bool
        let wrapper: Wrapper
        let admission: @Sendable (@escaping Admission) -> Admission

        /// Creates a wrapper.
        ///
        /// - Parameters:
        ///   - condition: Whether a request is wrapped. It is called for every request.
        ///   - wrapper: Calls the handler of a request.
        ///   - admission: Returns the check of the head of a request, with what the wrapper adds to the handler.
        package init(
            if condition: @escaping @Sendable (ServerRequest) -> Bool, _ wrapper: @escaping Wrapper,
            admission: @escaping @Sendable (@escaping Admission) -> Admission
        ) {
            self.condition = condition
            self.wrapper = wrapper
            self.admission = admission
        }
    }

    /// A check of the head of a request before its body is read. Nil accepts the body; a response refuses it. The
    /// request that is passed to the check has an empty body.
    ///
    /// For routes with larger bodies than an unauthenticated client may send: all tokens are in the head.
    package typealias Admission = @Sendable (ServerRequest) async -> ServerResponse?

    /// A method and a pattern of a router.
    package struct Route: Hashable, Sendable {
        /// The request method.
        package let method: HTTPMethod
        /// The path, with `{}` for each parameter and `{*}` for one that matches all remaining components.
        package let pattern: String
    }

    let errorResponse: ErrorResponse
    /// The maximum size in bytes of a request body for routes without their own limit. Nil means the limit of the
    /// server.
    let maximumBodyBytes: Int?
    private var entries: [(method: HTTPMethod, pattern: String, handler: Handler)] = []
    private var fixed: [String: Endpoint] = [:]
    private var tree = RouteTree()

    /// Creates a router without routes.
    ///
    /// - Parameters:
    ///   - maximumBodyBytes: The maximum size in bytes of a request body for routes without their own limit. Default:
    ///     the limit of the server.
    ///   - errorResponse: The envelope of the server's own errors. Default: the message as plain text.
    package init(
        maximumBodyBytes: Int? = nil,
        errorResponse: @escaping ErrorResponse = { status, message, _ in .text(message + "\n", status: status) }
    ) {
        self.maximumBodyBytes = maximumBodyBytes
        self.errorResponse = errorResponse
    }

    /// Adds a route without path parameters. Adding a second handler for the same method and pattern is a programming
    /// error and traps.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - pattern: The path.
    ///   - maximumBodyBytes: The maximum size of a request body in bytes, if less than the limit of the server.
    ///     Default: the limit of the router.
    ///   - admission: A check of the head before the body is read. Default: every body is read.
    ///   - synchronousHandler: Called first. Returns a response if it can do so without waiting, or nil to call
    ///     `handler`. For a response from memory, creating a task can cost more than the response itself.
    ///   - handler: Runs on the loop of the connection and must not block. When the client disconnects, its task is
    ///     cancelled and its response is discarded.
    package mutating func on(
        _ method: HTTPMethod, _ pattern: String, maximumBodyBytes: Int? = nil, admission: Admission? = nil,
        synchronousHandler: (@Sendable (ServerRequest) -> ServerResponse?)? = nil,
        handler: @escaping @Sendable (ServerRequest) async -> ServerResponse
    ) {
        Self.check(pattern, placeholders: 0)
        var first: (@Sendable (ServerRequest, [String]) -> FirstStep?)?
        if let synchronousHandler { first = { request, _ in synchronousHandler(request).map(FirstStep.response) } }
        let made = Handler(
            synchronousHandler: first, run: { request, _ in await handler(request) },
            maximumBodyBytes: maximumBodyBytes,
            admission: admission)
        add(made, for: method, at: pattern)
    }

    /// Adds a route without path parameters whose response is often in memory. Adding a second handler for the same
    /// method and pattern is a programming error and traps.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - pattern: The path.
    ///   - firstStep: Returns the response if it can do so without waiting, or the work that waits for it. That work
    ///     runs on the loop of the connection and must not block.
    package mutating func on(
        _ method: HTTPMethod, _ pattern: String, firstStep: @escaping @Sendable (ServerRequest) -> FirstStep
    ) {
        Self.check(pattern, placeholders: 0)
        let made = Handler(
            synchronousHandler: { request, _ in firstStep(request) },
            // The first step always has a result.
            run: { _, _ in nil }, maximumBodyBytes: nil)
        add(made, for: method, at: pattern)
    }

    /// Adds a route. Adding a second handler for the same method and pattern, or a different number of types than
    /// placeholders, is a programming error and traps.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - pattern: The path, with `{name}` for each parameter.
    ///   - types: The types of the parameters, in order.
    ///   - maximumBodyBytes: The maximum size of a request body in bytes, if less than the limit of the server.
    ///   - handler: Runs on the loop of the connection and must not block. When the client disconnects, its task is
    ///     cancelled and its response is discarded.
    package mutating func on<each P: PathParameter>(
        _ method: HTTPMethod, _ pattern: String, parameters types: repeat (each P).Type,
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
        let made = Handler(synchronousHandler: nil, run: run, maximumBodyBytes: maximumBodyBytes)
        add(made, for: method, at: pattern)
    }

    /// The routes of this router, in the order in which they were added.
    package var routes: [Route] {
        entries.map { method, pattern, _ in
            let parts = Self.parts(of: pattern).map { part in
                part.hasSuffix("*}") ? "{*}" : Self.isPlaceholder(part) ? "{}" : String(part)
            }
            return Route(method: method, pattern: "/" + parts.joined(separator: "/"))
        }
    }

    /// Returns whether there is a route for a path, with any method.
    package func hasRoute(at path: String) -> Bool {
        // Every server responds to OPTIONS for "*", so that belongs to no router.
        guard path != "*" else { return false }
        if case .notFound = match(.get, path: path) { return false }
        return true
    }

    /// The maximum body size of each route in bytes, and whether the route has an admission check.
    var bodyLimits: [(route: Route, maximumBytes: Int, hasAdmission: Bool)] {
        zip(routes, entries).map { route, entry in
            (route, limit(of: entry.handler), entry.handler.admission != nil)
        }
    }

    /// Returns the maximum body size for a handler in bytes.
    func limit(of handler: Handler) -> Int { handler.maximumBodyBytes ?? maximumBodyBytes ?? .max }

    /// Adds all routes of another router, without its error envelope and its body limit. Adding a second handler for
    /// one of ``routes`` traps.
    ///
    /// - Parameters:
    ///   - other: The other router.
    ///   - check: Returns a check that runs before the handler of a route and may return a response instead. Nil
    ///     for no check.
    ///   - wrapper: Calls the handlers of requests with a body, after `check`. Nil for no wrapper.
    ///   - others: Calls the handlers of the requests that its condition accepts, after `check` and around `wrapper`.
    ///     Nil for no wrapper.
    package mutating func add(
        _ other: Router, checking check: (Route) -> (@Sendable (ServerRequest) -> ServerResponse?)? = { _ in nil },
        wrappingBodies wrapper: Wrapper? = nil, wrapping others: ConditionalWrapper? = nil
    ) {
        for (entry, route) in zip(other.entries, other.routes) {
            var handler = entry.handler
            if let wrapper { handler = handler.wrapped(by: wrapper) { !$0.body.isEmpty } }
            if let others {
                handler = handler.wrapped(by: others.wrapper, if: others.condition)
                handler.admission = handler.admission.map { others.admission($0) }
            }
            add(check(route).map(handler.behind) ?? handler, for: entry.method, at: entry.pattern)
        }
    }

    private mutating func add(_ handler: Handler, for method: HTTPMethod, at pattern: String) {
        entries.append((method, pattern, handler))
        let parts = Self.parts(of: pattern)
        guard parts.contains(where: Self.isPlaceholder) else {
            return fixed[pattern, default: Endpoint(pattern: pattern)].add(method, handler)
        }
        tree.add(handler, for: method, at: parts[...], pattern: pattern)
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

    /// The result of looking up a route.
    enum Match {
        case handler(Handler, [String], pattern: String)
        case allow(String, pattern: String)
        case methodNotAllowed(allow: String, pattern: String)
        case notFound
    }

    func match(_ method: HTTPMethod, path: String) -> Match {
        if let endpoint = fixed[path] { return endpoint.match(method, []) }
        if path == "*" { return .allow("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS", pattern: "*") }
        // Without placeholders, only a path with escapes can still match after it is decoded.
        if tree.isEmpty, !path.utf8.contains(UInt8(ascii: "%")) { return .notFound }
        let components = RequestTarget.components(of: path)
        // A decoded `%2F` belongs to its component and must not separate two.
        if let endpoint = fixed["/" + components.joined(separator: "/")],
            !components.contains(where: { $0.contains("/") })
        {
            return endpoint.match(method, [])
        }
        guard let (endpoint, values) = tree.find(components[...]) else { return .notFound }
        return endpoint.match(method, values)
    }
}
