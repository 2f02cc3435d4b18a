import HTTPMessages

/// A tree of the patterns with placeholders, with a node for each component. A literal has precedence over a
/// placeholder, and a placeholder over `{name*}`, which matches one or more components.
struct RouteTree: Sendable {
    private var nodes = [Node()]

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var placeholder: Int?
        var rest: Int?
        var endpoint: Endpoint?
    }

    var isEmpty: Bool { nodes.count == 1 }

    mutating func add(
        _ handler: Router.Handler, for method: HTTPMethod, at parts: ArraySlice<Substring>, pattern: String
    ) {
        var index = 0
        for part in parts {
            if part.hasPrefix("{"), part.hasSuffix("*}") {
                precondition(part == parts.last, "The pattern '\(pattern)' must end with '\(part)'.")
                index = nodes[index].rest ?? grow { $0.nodes[index].rest = $1 }
            } else if part.hasPrefix("{"), part.hasSuffix("}") {
                index = nodes[index].placeholder ?? grow { $0.nodes[index].placeholder = $1 }
            } else {
                let literal = String(part)
                index = nodes[index].literals[literal] ?? grow { $0.nodes[index].literals[literal] = $1 }
            }
        }
        var endpoint = nodes[index].endpoint ?? Endpoint(pattern: pattern)
        endpoint.add(method, handler)
        nodes[index].endpoint = endpoint
    }

    func find(_ components: ArraySlice<String>) -> (Endpoint, [String])? {
        var values: [String] = []
        return find(components, at: 0, &values).map { ($0, values) }
    }

    private func find(_ components: ArraySlice<String>, at index: Int, _ values: inout [String]) -> Endpoint? {
        guard let first = components.first else { return nodes[index].endpoint }
        let rest = components.dropFirst()
        if let next = nodes[index].literals[first], let found = find(rest, at: next, &values) { return found }
        if let next = nodes[index].placeholder {
            values.append(first)
            if let found = find(rest, at: next, &values) { return found }
            values.removeLast()
        }
        guard let next = nodes[index].rest else { return nil }
        values.append(components.joined(separator: "/"))
        return nodes[next].endpoint
    }

    private mutating func grow(_ link: (inout RouteTree, Int) -> Void) -> Int {
        let index = nodes.count
        nodes.append(Node())
        link(&self, index)
        return index
    }
}
