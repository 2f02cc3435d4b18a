public import FoundationEssentials

/// A live session and whose it is.
public struct Session: Sendable, Equatable, Identifiable {
    /// The public id.
    public let id: SessionID
    /// The person who signed in.
    public let person: Person
    /// When the session began.
    public let created: Date
    /// When the person last showed who it is: here by a password, or at an identity provider that tells it, which may be long
    /// before the session began. Where a provider does not tell it, when the session began. Of a session that was made from
    /// another it is the other's.
    public let authenticated: Date
    /// When the session ends if it is not used again; on disk, so true after a crash too.
    public internal(set) var expires: Date
    /// When the session ends however much it is used. Of a session that was made from another, when that one expires if it is
    /// not used again.
    public let cap: Date
    /// The groups that the person's identity providers told at the last sign-in through each.
    public let groups: [String]

    init(
        id: SessionID, person: Person, created: Date, authenticated: Date? = nil, expires: Date, cap: Date,
        groups: [String] = []
    ) {
        self.id = id
        self.person = person
        self.created = created
        self.authenticated = authenticated ?? created
        self.expires = expires
        self.cap = cap
        self.groups = groups
    }
}
