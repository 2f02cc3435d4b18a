public import FoundationEssentials

/// A family whose people can change their password.
public protocol PasswordChangeDialect: Dialect {
    /// Changes the password.
    ///
    /// - Parameters:
    ///   - change: The passwords.
    ///   - client: The session that it is changed with.
    /// - Throws: ``LatchError``, in the server's words where it has any; the session stands.
    func changePassword(_ change: PasswordChange, with client: AuthorizedClient) async throws
}

/// A new password and what shows that the person may set it.
public struct PasswordChange: Sendable {
    /// The current password; nil where the server forces the change and asks for none.
    public var current: Secret?
    /// The new one.
    public var new: Secret
    /// Whether the server wants the change before anything else.
    public var isForced: Bool

    /// Makes a change.
    public init(current: Secret?, new: Secret, isForced: Bool = false) {
        self.current = current
        self.new = new
        self.isForced = isForced
    }
}

/// A family whose people can see and end their sessions.
public protocol SessionListDialect: Dialect {
    /// The person's sessions on the server.
    func sessions(with client: AuthorizedClient) async throws -> [RemoteSession]
    /// Ends one of them.
    func endSession(_ id: String, with client: AuthorizedClient) async throws
}

/// One of a person's sessions, as its server lists it.
public struct RemoteSession: Sendable, Hashable, Codable {
    /// The server's id of it.
    public var id: String
    /// The device's name.
    public var device: String
    /// The device's system.
    public var system: String
    /// When it began.
    public var created: Date?
    /// When it was last used.
    public var lastUsed: Date?
    /// Whether it is the one that asks.
    public var isCurrent: Bool

    /// Makes a session.
    public init(id: String, device: String, system: String, created: Date?, lastUsed: Date?, isCurrent: Bool) {
        self.id = id
        self.device = device
        self.system = system
        self.created = created
        self.lastUsed = lastUsed
        self.isCurrent = isCurrent
    }
}

/// A family whose accounts hold a key that the server gave out, listed, replaced and revoked by its id.
public protocol KeyDialect: Dialect {
    /// What a key may do at the least, for a person who wants no more.
    var leastScopes: [String] { get }
    /// Whether a key that may do this can call the server at all.
    func canCall(with scopes: [String]) -> Bool

    /// The request that lists the person's keys.
    var keyList: DialectRequest { get }
    /// Reads the answer to ``keyList``; whose a key is, and ``RemoteKey/isCurrent`` with it, is not known here.
    ///
    /// - Throws: A ``LatchError`` for every answer that is no list.
    func keys(from answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> [RemoteKey]
    /// The request that makes a key; without scopes, one for everything.
    func makeKey(name: String, scopes: [String]?) -> DialectRequest
    /// Reads the answer to ``makeKey(name:scopes:)``: the key, its id and its scopes.
    ///
    /// - Throws: A ``LatchError`` for every answer that brings no key.
    func key(from answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant
    /// The request that revokes a key.
    func revokeKey(_ id: String) -> DialectRequest
}

/// One of a person's keys, as its server lists it; never the key itself.
public struct RemoteKey: Sendable, Hashable, Codable {
    /// The server's id of it.
    public var id: String
    /// Its name.
    public var name: String
    /// What it may do.
    public var scopes: [String]
    /// When it was made.
    public var created: Date?
    /// When it was last used.
    public var lastUsed: Date?
    /// Whether it is the account's own.
    public var isCurrent: Bool

    /// Makes a key.
    public init(id: String, name: String, scopes: [String], created: Date?, lastUsed: Date?, isCurrent: Bool) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.created = created
        self.lastUsed = lastUsed
        self.isCurrent = isCurrent
    }
}
