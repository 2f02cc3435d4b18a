/// A set of scopes, small enough to be cached with every key.
package struct APIKeyScopes: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates a set of the scopes in `words`. Unknown words are ignored.
    package init(_ words: [String]) {
        self = words.compactMap(APIKeyScope.init(written:)).reduce(into: []) { $0.insert(APIKeyScopes($1)) }
    }

    private init(_ scope: APIKeyScope) {
        self.init(rawValue: 1 << UInt8(APIKeyScope.allCases.firstIndex(of: scope) ?? 7))
    }

    /// All scopes.
    package static let all = APIKeyScopes(APIKeyScope.allCases.map(\.rawValue))
    /// The scopes that allow requests to the web API. A key needs at least one of them.
    ///
    /// Source: docs/protocols/relate-mail.md, Scopes.
    package static let web = APIKeyScopes(["api:read", "api:write", "app"])

    /// The scopes that allow changes through the web API.
    package static let writing = APIKeyScopes(["api:write", "app"])

    /// The scopes as text, in the order of ``APIKeyScope``.
    package var words: [String] { APIKeyScope.allCases.filter { contains(APIKeyScopes($0)) }.map(\.rawValue) }
}
