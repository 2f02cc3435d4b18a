public import FoundationEssentials

/// A family whose servers let people change their password.
public protocol PasswordChangeDialect: Dialect {
    /// Changes the password.
    ///
    /// - Parameters:
    ///   - change: The old and the new password.
    ///   - client: The session that sends the request.
    /// - Throws: ``LatchError``, with the server's error message if there is one. The session stays valid.
    func changePassword(_ change: PasswordChange, with client: AuthorizedClient) async throws
}

/// A new password and the proof that the person may set it.
public struct PasswordChange: Sendable {
    /// The current password. Nil when the server forces the change and does not require it.
    public var current: Secret?
    /// The new password.
    public var new: Secret
    /// Whether the server requires the change before anything else.
    public var isForced: Bool

    /// Makes a change.
    public init(current: Secret?, new: Secret, isForced: Bool = false) {
        self.current = current
        self.new = new
        self.isForced = isForced
    }
}

/// A family whose servers let people list and end their sessions.
public protocol SessionListDialect: Dialect {
    /// Returns the person's sessions on the server.
    func sessions(with client: AuthorizedClient) async throws -> [RemoteSession]
    /// Ends the session with an id.
    func endSession(_ id: String, with client: AuthorizedClient) async throws
}

/// A session of a person, as listed by the server.
public struct RemoteSession: Sendable, Hashable, Codable {
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
    public init(id: String, device: String, system: String, created: Date?, lastUsed: Date?, isCurrent: Bool) {
        self.id = id
        self.device = device
        self.system = system
        self.created = created
        self.lastUsed = lastUsed
        self.isCurrent = isCurrent
    }
}

/// A family whose accounts hold an API key issued by the server. Keys are listed, replaced and revoked by their ids.
public protocol KeyDialect: Dialect {
    /// The scopes that are the minimum for an account, for a person who wants no more.
    var leastScopes: [String] { get }
    /// Returns whether a key with these scopes can call the server at all.
    func canCall(with scopes: [String]) -> Bool

    /// The request that lists the person's keys.
    var keyList: DialectRequest { get }
    /// Reads the response to ``keyList``. The response does not say which key the account holds, so
    /// ``RemoteKey/isCurrent`` is always false here.
    ///
    /// - Throws: ``LatchError`` for every response that is not a list of keys.
    func keys(from answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> [RemoteKey]
    /// Returns the request that creates a key. Without scopes, the key gets all of them.
    func makeKey(name: String, scopes: [String]?) -> DialectRequest
    /// Reads the response to ``makeKey(name:scopes:)``: the key, its id and its scopes.
    ///
    /// - Throws: ``LatchError`` for every response without a key.
    func key(from answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant
    /// Returns the request that revokes the key with an id.
    func revokeKey(_ id: String) -> DialectRequest
}

/// The description of an API key of a person, as listed by the server. It does not contain the key itself.
public struct RemoteKey: Sendable, Hashable, Codable {
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
    public init(id: String, name: String, scopes: [String], created: Date?, lastUsed: Date?, isCurrent: Bool) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.created = created
        self.lastUsed = lastUsed
        self.isCurrent = isCurrent
    }
}
