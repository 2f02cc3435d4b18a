import Crypto
import Database
public import FoundationEssentials

/// A key that a person gave to a program, as it is listed: never the key itself, which nobody knows any more.
public struct APIKey: Sendable, Equatable, Identifiable {
    /// The public id.
    public let id: UUID
    /// Whose it is.
    public let person: UUID
    /// That person's e-mail address; nil when the person was removed.
    public let email: String?
    /// What the person called it.
    public let name: String
    /// Its scopes, as they were written when it was made.
    public let scopes: [String]
    /// When it was made.
    public let created: Date
    /// When it was last used, to the minute; nil when it never was.
    public internal(set) var lastUsed: Date?
    /// When the key expires; nil when it does not.
    public let expires: Date?

    init(
        id: UUID, person: UUID, email: String?, name: String, scopes: [String], created: Date, lastUsed: Date? = nil,
        expires: Date? = nil
    ) {
        self.id = id
        self.person = person
        self.email = email
        self.name = name
        self.scopes = scopes
        self.created = created
        self.lastUsed = lastUsed
        self.expires = expires
    }

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        id = try row.get(0)
        person = try row.get(1)
        email = try row.get(2)
        name = try row.get(3)
        scopes = (try row.get(4) as String).split(separator: " ").map(String.init)
        created = try row.get(5)
        lastUsed = try row.get(6)
        expires = try row.get(7)
    }
}

/// A key that a request came with, and whose it is.
struct KnownAPIKey: Sendable {
    let id: UUID
    let person: Person
    let scopes: APIKeyScopes
    /// The person's groups, from the last sign-in at each identity provider.
    let groups: [String]
    /// When the key expires; nil when it does not.
    var expires: Date?

    func isLive(at now: Date) -> Bool {
        expires.map { now < $0 } ?? true
    }
}

/// A key that was made just now: the only moment at which there is its text.
struct CreatedAPIKey: Sendable {
    let key: Secret
    let listed: APIKey
}
