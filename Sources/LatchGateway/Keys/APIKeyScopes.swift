/// Some of the scopes; small enough to be kept with every key in memory.
struct APIKeyScopes: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The scopes among what was written; a word that is none counts for nothing.
    init(_ words: [String]) {
        self = words.compactMap(APIKeyScope.init(written:)).reduce(into: []) { $0.insert(APIKeyScopes($1)) }
    }

    private init(_ scope: APIKeyScope) {
        self.init(rawValue: 1 << UInt8(APIKeyScope.allCases.firstIndex(of: scope) ?? 7))
    }

    /// All there are.
    static let all = APIKeyScopes(APIKeyScope.allCases.map(\.rawValue))
    /// What lets a key speak to the web side at all: one of them is enough.
    ///
    /// Source: contract of Relate Mail, rule 11.
    static let web = APIKeyScopes(["api:read", "api:write", "app"])

    /// The scopes that allow changes there.
    static let writing = APIKeyScopes(["api:write", "app"])

    /// The scopes as they are written, in their own order.
    var words: [String] { APIKeyScope.allCases.filter { contains(APIKeyScopes($0)) }.map(\.rawValue) }
}
