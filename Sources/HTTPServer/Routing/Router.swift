public import Wire

/// Which handler answers which method and path.
///
/// A pattern such as `/api/sessions/{id}` has a type for each placeholder, in order. A path without placeholders wins
/// over one with. `HEAD` is answered by the handler of `GET` and `OPTIONS` with 204 and `Allow`, unless a route says
/// otherwise. A trailing slash makes another path.
public struct Router: Sendable {
    /// Makes the answer for what the server refuses itself: 400, 404, 405, 408, 413, 417, 431, 500, 501 and 505.
    ///
    /// `Allow` is added to a 405 afterwards.
    public typealias ErrorResponse = @Sendable (HTTPStatus, String, RefusedRequest) -> ServerResponse

    typealias Handler = @Sendable (ServerRequest, [String]) async -> ServerResponse?

    let errorResponse: ErrorResponse
    private var fixed: [String: Endpoint] = [:]
    private var tree = RouteTree()

    /// Makes a router without routes.
    ///
    /// - Parameter errorResponse: The envelope of the server's own errors; by default the sentence as plain text.
    public init(
        errorResponse: @escaping ErrorResponse = { status, message, _ in .text(message + "\n", status: status) }
    ) {
        self.errorResponse = errorResponse
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
        precondition(pattern.hasPrefix("/"), "The pattern '\(pattern)' must begin with a slash.")
        let parts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var typeCount = 0
        for _ in repeat each types { typeCount += 1 }
        let placeholders = parts.filter { $0.hasPrefix("{") && $0.hasSuffix("}") }.count
        precondition(placeholders == typeCount, "The pattern '\(pattern)' must have one type for each placeholder.")
        let run: Handler = { request, components in
            var rest = components[...]
            func next<T: PathParameter>(_: T.Type) throws(Mismatch) -> T {
                guard let component = rest.popFirst(), let value = T(pathComponent: component) else { throw Mismatch() }
                return value
            }
            guard let values = try? (repeat next((each P).self)) else { return nil }
            return await handler(request, repeat each values)
        }
        if typeCount == 0 {
            fixed[pattern, default: Endpoint(pattern: pattern)].add(method, run, maximumBodyBytes: maximumBodyBytes)
        } else {
            tree.add(parts[...], pattern: pattern, method, run, maximumBodyBytes: maximumBodyBytes)
        }
    }

    private struct Mismatch: Error {}

    /// What answers a request.
    enum Match {
        case handler(Handler, [String], pattern: String, maximumBodyBytes: Int?)
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
