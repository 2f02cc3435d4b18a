import GatewayCore
import HTTPMessages

/// The person behind a request at a proxy, authenticated by a session or an API key.
struct AuthenticatedPerson: Sendable {
    let person: Person
    let groups: [String]
    /// The session; nil when the person was authenticated by a key.
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

    /// Whether the person was authenticated by a key.
    var isKey: Bool { session == nil }

    /// Whether the credentials allow a method: a key with only reading scopes allows only methods that read.
    func may(_ method: HTTPMethod) -> Bool {
        !scopes.isDisjoint(with: Self.reading.contains(method.rawValue) ? .web : .writing)
    }

    /// The methods that only read.
    ///
    /// Source: the methods marked safe in the registry of RFC 9110 §16.1.1.
    private static let reading: Set = ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH"]
}
