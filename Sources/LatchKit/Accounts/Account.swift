public import FoundationEssentials

/// A person's account on a server, as stored on this device. It never contains the token.
///
/// Its JSON has the nine fields of RM-1 under the names given there, and also `personId`, `dialect`, `isSignedIn`,
/// `endedBecause`, `details` and `mustChangePassword`.
///
/// Source: RM-1.
public struct Account: Identifiable, Hashable, Sendable, Codable {
    /// The account's id on this device.
    public let id: UUID
    /// The person's display name. The e-mail address when the server has no name.
    public package(set) var displayName: String
    /// The address of the server.
    public package(set) var serverURL: ServerAddress
    /// The person's id on the server. Nil when the server has not told it yet.
    public internal(set) var personID: String?
    /// The e-mail address that the person signed in with.
    public package(set) var userEmail: String
    /// The id of the API key, never the key itself. Nil when the account has none.
    public package(set) var apiKeyID: String?
    /// The scopes of the person or of the API key. Empty when the server does not say.
    public package(set) var scopes: [String]
    /// When the account was added on this device.
    public package(set) var createdAt: Date
    /// When the account was last signed in or made the active one.
    public package(set) var lastUsedAt: Date
    /// Whether this is the active account. At most one account is active.
    public internal(set) var isActive: Bool
    /// The id of the server's dialect.
    public package(set) var dialect: DialectID
    /// Whether the account has a session on this device.
    public internal(set) var isSignedIn: Bool
    /// Why the last session ended, as the end of "You were signed out because …". Nil when no session has ended since
    /// the last sign-in.
    public internal(set) var endedBecause: String?

    /// The account's number on this device, from 1. It never changes and is never given to another account.
    package internal(set) var number = 0
    /// The dialect's data about this server. Contains no secret.
    package internal(set) var details: [String: String] = [:]
    /// Whether the server requires a password change before anything else.
    public internal(set) var mustChangePassword = false

    enum CodingKeys: String, CodingKey {
        case id, displayName, userEmail, scopes, createdAt, lastUsedAt, isActive, dialect, isSignedIn, endedBecause
        case details, mustChangePassword
        case serverURL = "serverUrl"
        case apiKeyID = "apiKeyId"
        case personID = "personId"
    }

    /// Creates an account that is not stored yet. ``AccountStore/addAccount(_:)`` stores it and makes it active.
    package init(
        id: UUID = UUID(), displayName: String, serverURL: ServerAddress, userEmail: String, apiKeyID: String? = nil,
        scopes: [String] = [], createdAt: Date = Date(), lastUsedAt: Date? = nil,
        dialect: DialectID
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

/// Changes to an account. Nil leaves a field unchanged.
///
/// The server address cannot be changed: a session belongs to one address, and another address needs a new sign-in.
///
/// Source: RM-2.
package struct AccountUpdate: Sendable, Equatable {
    /// The person's display name.
    package var displayName: String?
    /// The e-mail address.
    package var userEmail: String?
    /// The id of the API key.
    package var apiKeyID: String?
    /// The scopes of the person or of the API key.
    package var scopes: [String]?

    /// Makes an update.
    package init(
        displayName: String? = nil, userEmail: String? = nil, apiKeyID: String? = nil, scopes: [String]? = nil
    ) {
        self.displayName = displayName
        self.userEmail = userEmail
        self.apiKeyID = apiKeyID
        self.scopes = scopes
    }
}
