public import FoundationEssentials

/// The description of an API key of a person, as listed by the server. It does not contain the key itself.
public struct RemoteKey: Identifiable, Sendable, Hashable, Codable {
    /// The id of the key on the server.
    public var id: String
    /// The name of the key.
    public var name: String
    /// The scopes of the key.
    public var scopes: [String]
    /// When the key was created. Nil when the server does not say.
    public var created: Date?
    /// When the key was last used. Nil when it has not been used or the server does not say.
    public var lastUsed: Date?
    /// Whether it is the key that the account holds.
    public var isCurrent: Bool

    /// Makes a key.
    package init(id: String, name: String, scopes: [String], created: Date?, lastUsed: Date?, isCurrent: Bool) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.created = created
        self.lastUsed = lastUsed
        self.isCurrent = isCurrent
    }
}
