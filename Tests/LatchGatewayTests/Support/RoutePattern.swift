import HTTPServer

extension Router.Route {
    /// Whether a path, without a query, has the pattern of the route.
    func matches(_ path: String) -> Bool {
        let (words, names) = (path.split(separator: "/"), pattern.split(separator: "/"))
        return words.count == names.count && zip(words, names).allSatisfy { $0 == $1 || $1 == "{}" }
    }
}
