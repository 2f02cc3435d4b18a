public import FoundationEssentials

/// A live session and whose it is.
public struct Session: Sendable, Equatable, Identifiable {
    /// The public id.
    public let id: SessionID
    /// The person who signed in.
    public let person: Person
    /// When the person signed in.
    public let created: Date
    /// When the session ends if it is not used again; on disk, so true after a crash too.
    public internal(set) var expires: Date
    /// When the session ends however much it is used.
    public let cap: Date
    /// The groups that the person's identity providers told at the last sign-in through each.
    public let groups: [String]

    init(id: SessionID, person: Person, created: Date, expires: Date, cap: Date, groups: [String] = []) {
        self.id = id
        self.person = person
        self.created = created
        self.expires = expires
        self.cap = cap
        self.groups = groups
    }
}
