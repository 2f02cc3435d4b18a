public import FoundationEssentials

/// One person's account on one server, as this device knows it. Never the token itself.
///
/// As JSON it has the nine fields of RM-1 under their names there, and `dialect`, `isSignedIn`, `endedBecause`, `details`
/// and `mustChangePassword` beside.
///
/// Source: RM-1.
public struct Account: Identifiable, Hashable, Sendable, Codable {
    /// The account's id on this device.
    public let id: UUID
    /// The person's name for people; the e-mail address where the server has none.
    public var displayName: String
    /// Where the server is.
    public var serverURL: ServerAddress
    /// The e-mail address by which the person signed in.
    public var userEmail: String
    /// The id of the API key, with servers that give one; never the key.
    public var apiKeyID: String?
    /// What the person, or the key, may do.
    public var scopes: [String]
    /// When the account was added.
    public var createdAt: Date
    /// When it was last the active one.
    public var lastUsedAt: Date
    /// Whether it is the active one; one at most is.
    public internal(set) var isActive: Bool
    /// How its server speaks.
    public var dialect: DialectID
    /// Whether there is a session.
    public internal(set) var isSignedIn: Bool
    /// Why the server ended the last session, as the end of "You were signed out because …".
    public internal(set) var endedBecause: String?

    /// The account's number on this device, from 1. It never changes and is never given to another account.
    public internal(set) var number = 0
    /// What its dialect must know of this one server; never a secret.
    public internal(set) var details: [String: String] = [:]
    /// Whether the server wants another password before anything else.
    public internal(set) var mustChangePassword = false

    enum CodingKeys: String, CodingKey {
        case id, displayName, userEmail, scopes, createdAt, lastUsedAt, isActive, dialect, isSignedIn, endedBecause
        case details, mustChangePassword
        case serverURL = "serverUrl"
        case apiKeyID = "apiKeyId"
    }

    /// Makes an account that is not kept yet; ``AccountStore/addAccount(_:)`` keeps it and makes it active.
    public init(
        id: UUID = UUID(), displayName: String, serverURL: ServerAddress, userEmail: String, apiKeyID: String? = nil,
        scopes: [String] = [], createdAt: Date = Date(), lastUsedAt: Date? = nil,
        dialect: DialectID = DialectID(rawValue: "onyx")
    ) {
        self.id = id
        self.displayName = displayName
        self.serverURL = serverURL
        self.userEmail = userEmail
        self.apiKeyID = apiKeyID
        self.scopes = scopes
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt ?? createdAt
        self.isActive = false
        self.dialect = dialect
        self.isSignedIn = false
    }
}

/// What to change in an account; nil leaves a field as it is.
///
/// The address is not among them: a session belongs to one address, and another address is another sign-in.
///
/// Source: RM-2.
public struct AccountUpdate: Sendable, Equatable {
    /// The person's name.
    public var displayName: String?
    /// The e-mail address.
    public var userEmail: String?
    /// The id of the API key.
    public var apiKeyID: String?
    /// What the person may do.
    public var scopes: [String]?

    /// Makes an update.
    public init(
        displayName: String? = nil, userEmail: String? = nil, apiKeyID: String? = nil, scopes: [String]? = nil
    ) {
        self.displayName = displayName
        self.userEmail = userEmail
        self.apiKeyID = apiKeyID
        self.scopes = scopes
    }
}
