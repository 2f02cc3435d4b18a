import HTTPMessages

/// The handlers of one pattern, by method.
struct Endpoint: Sendable {
    let pattern: String
    private var handlers: [(method: HTTPMethod, handler: Router.Handler)] = []

    init(pattern: String) {
        self.pattern = pattern
    }

    mutating func add(_ method: HTTPMethod, _ handler: Router.Handler) {
        precondition(self.handler(method) == nil, "The route \(method) \(pattern) is declared twice.")
        handlers.append((method, handler))
    }

    func match(_ method: HTTPMethod, _ values: [String]) -> Router.Match {
        if let handler = handler(method) { return .handler(handler, values, pattern: pattern) }
        if method == .head, let handler = handler(.get) { return .handler(handler, values, pattern: pattern) }
        return method == .options ? .allow(allow, pattern: pattern) : .methodNotAllowed(allow: allow, pattern: pattern)
    }

    /// The value of the `Allow` field.
    ///
    /// Source: RFC 9110 §10.2.1.
    private var allow: String {
        var methods = handlers.map(\.method.rawValue)
        if methods.contains("GET"), !methods.contains("HEAD") { methods.append("HEAD") }
        if !methods.contains("OPTIONS") { methods.append("OPTIONS") }
        return methods.joined(separator: ", ")
    }

    private func handler(_ method: HTTPMethod) -> Router.Handler? {
        handlers.first { $0.method == method }?.handler
    }
}
