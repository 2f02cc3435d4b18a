public import FoundationEssentials

/// A session of a person, as listed by the server.
public struct RemoteSession: Identifiable, Sendable, Hashable, Codable {
    /// The id of the session on the server.
    public var id: String
    /// The name of the device.
    public var device: String
    /// The operating system of the device.
    public var system: String
    /// When the session began. Nil when the server does not say.
    public var created: Date?
    /// When the session was last used. Nil when the server does not say.
    public var lastUsed: Date?
    /// Whether it is the session that requested the list.
    public var isCurrent: Bool

    /// Makes a session.
    package init(id: String, device: String, system: String, created: Date?, lastUsed: Date?, isCurrent: Bool) {
        self.id = id
        self.device = device
        self.system = system
        self.created = created
        self.lastUsed = lastUsed
        self.isCurrent = isCurrent
    }
}
