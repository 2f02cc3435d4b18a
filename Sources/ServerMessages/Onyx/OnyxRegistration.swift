/// The body of `POST /auth/register`.
///
/// Source: contract of Onyx, endpoints.
public struct OnyxRegistration: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The e-mail address.
    public var email: String
    /// The password in plain text.
    public var password: String

    /// Creates a request body.
    public init(email: String, password: String) {
        self.email = email
        self.password = password
    }

    /// The name of the type, without the values.
    public var description: String { "OnyxRegistration" }

    /// An empty mirror, so that dumps show no secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The response to `POST /auth/register`, 201.
///
/// Source: contract of Onyx, endpoints.
public struct OnyxRegistered: Codable, Sendable, Equatable {
    /// The new person's id.
    public var id: String
    /// The e-mail address in lower case.
    public var email: String
    /// Whether the person may sign in.
    public var isActive: Bool
    /// Whether the person administers the server.
    public var isSuperuser: Bool
    /// Whether the e-mail address was verified.
    public var isVerified: Bool
    /// The kind of account: `STANDARD` for a person.
    public var accountType: String

    enum CodingKeys: String, CodingKey {
        case id, email
        case isActive = "is_active"
        case isSuperuser = "is_superuser"
        case isVerified = "is_verified"
        case accountType = "account_type"
    }

    /// Creates a response for an active standard account.
    public init(id: String, email: String, isSuperuser: Bool = false, isVerified: Bool = false) {
        self.id = id
        self.email = email
        self.isActive = true
        self.isSuperuser = isSuperuser
        self.isVerified = isVerified
        self.accountType = "STANDARD"
    }
}
