package import Crypto
package import Database
package import FoundationEssentials

/// An API key as it is listed. The text of the key is not included, because it is not stored.
package struct APIKey: Sendable, Equatable, Identifiable {
    /// The public id of the key.
    package let id: UUID
    /// The id of the person who owns the key.
    package let person: UUID
    /// The owner's e-mail address; nil when the person was removed.
    package let email: String?
    /// The name that the person gave the key.
    package let name: String
    /// The scopes of the key, in the spelling of the request that created it.
    package let scopes: [String]
    /// When the key was created.
    package let created: Date
    /// When the key was last used, with a precision of one minute; nil when it was never used.
    package internal(set) var lastUsed: Date?
    /// When the key expires; nil when it does not.
    package let expires: Date?

    package init(
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
    package init(_ row: SQLRow) throws(DatabaseError) {
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

/// A valid API key that authenticates a request, and its person.
package struct KnownAPIKey: Sendable {
    package let id: UUID
    package let person: Person
    package let scopes: APIKeyScopes
    /// The person's groups, from the last sign-in at each identity provider.
    package let groups: [String]
    /// When the key expires; nil when it does not.
    package var expires: Date?

    package func isLive(at now: Date) -> Bool {
        expires.map { now < $0 } ?? true
    }
}

/// An API key that was just created. Its text is available only now.
package struct CreatedAPIKey: Sendable {
    package let key: Secret
    package let listed: APIKey
}
