import Wire

/// Whoever a request behind a proxy is of: by a session, or by a key of the person's.
struct VerifyVisitor: Sendable {
    let person: Person
    let groups: [String]
    /// The session; nil where a key showed who it is.
    let session: SessionID?
    private let scopes: APIKeyScopes

    init(_ session: Session) {
        person = session.person
        groups = session.groups
        self.session = session.id
        scopes = .all
    }

    init(_ key: KnownAPIKey) {
        person = key.person
        groups = key.groups
        session = nil
        scopes = key.scopes
    }

    /// Whether it was a key that showed who it is.
    var isKey: Bool { session == nil }

    /// Whether what came may ask by a method: a key whose scopes let it read alone does nothing else.
    func may(_ method: HTTPMethod) -> Bool {
        !scopes.isDisjoint(with: Self.reading.contains(method.rawValue) ? .web : .writing)
    }

    /// Source: the registry of HTTP methods of RFC 9110 §16.1.1, those that are safe.
    private static let reading: Set = ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH"]
}
