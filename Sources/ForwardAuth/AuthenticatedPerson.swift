import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import HTTPMessages

/// The person behind a request at a proxy, authenticated by a session or an API key.
struct AuthenticatedPerson: Sendable {
    let person: Person
    let groups: [String]
    /// The session; nil when the person was authenticated by a key.
    let session: SessionID?
    private let scopes: APIKeyScopes
    /// When and how the person authenticated; nil when the person was authenticated by a key.
    private let authentication: (time: Date, methods: AuthenticationMethods)?
    /// The scopes of a client's access token; nil for other credentials, which have no scopes.
    private let granted: [String]?

    /// Creates a value for a session. `granted` are the scopes of a client's access token.
    init(_ session: Session, granted: [String]? = nil) {
        authentication = (session.authenticated, session.methods)
        self.granted = granted
        person = session.person
        groups = session.groups
        self.session = session.id
        scopes = .all
    }

    init(_ key: KnownAPIKey) {
        authentication = nil
        granted = nil
        person = key.person
        groups = key.groups
        session = nil
        scopes = key.scopes
    }

    /// Whether the credentials allow a method: a key with only reading scopes allows only methods that read.
    func may(_ method: HTTPMethod) -> Bool {
        !scopes.isDisjoint(with: Self.reading.contains(method.rawValue) ? .web : .writing)
    }

    /// Whether the credentials have the scopes that a rule requires.
    func hasScopes(of requirement: AccessRequirement) -> Bool {
        guard let granted else { return true }
        return requirement.scopes.allSatisfy { scope in granted.contains { ExactText($0) == ExactText(scope) } }
    }

    /// Whether the person authenticated as recently and as strongly as a rule requires. A key tells nothing about that.
    func isAuthenticated(as requirement: AccessRequirement, at now: Date) -> Bool {
        guard requirement.maximumAge != nil || requirement.level != nil else { return true }
        guard let authentication else { return false }
        return requirement.maximumAge.map { now <= authentication.time + $0 } ?? true
            && requirement.level.map { authentication.methods.level >= $0 } ?? true
    }

    /// The methods that only read.
    ///
    /// Source: the methods marked safe in the registry of RFC 9110 §16.1.1.
    private static let reading: Set = ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH"]
}
