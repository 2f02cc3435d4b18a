import Wire

/// The handlers of one pattern, by method.
struct Endpoint: Sendable {
    let pattern: String
    private var handlers: [(method: HTTPMethod, run: Router.Handler, maximumBodyBytes: Int?)] = []

    init(pattern: String) {
        self.pattern = pattern
    }

    mutating func add(_ method: HTTPMethod, _ run: @escaping Router.Handler, maximumBodyBytes: Int?) {
        precondition(entry(method) == nil, "The route \(method) \(pattern) is there twice.")
        handlers.append((method, run, maximumBodyBytes))
    }

    func match(_ method: HTTPMethod, _ values: [String]) -> Router.Match {
        if let entry = entry(method) {
            return .handler(entry.run, values, pattern: pattern, maximumBodyBytes: entry.maximumBodyBytes)
        }
        if method == .head, let entry = entry(.get) {
            return .handler(entry.run, values, pattern: pattern, maximumBodyBytes: entry.maximumBodyBytes)
        }
        return method == .options ? .allow(allow, pattern: pattern) : .methodNotAllowed(allow: allow, pattern: pattern)
    }

    /// The value of `Allow`.
    ///
    /// Source: RFC 9110 §10.2.1.
    private var allow: String {
        var methods = handlers.map(\.method.rawValue)
        if methods.contains("GET"), !methods.contains("HEAD") { methods.append("HEAD") }
        if !methods.contains("OPTIONS") { methods.append("OPTIONS") }
        return methods.joined(separator: ", ")
    }

    private func entry(_ method: HTTPMethod) -> (method: HTTPMethod, run: Router.Handler, maximumBodyBytes: Int?)? {
        handlers.first { $0.method == method }
    }
}
