import HTTPMessages

/// The body of `POST /auth/register`.
///
/// Source: docs/protocols/onyx.md, Registration.
package struct OnyxRegistration: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The e-mail address.
    package var email: String
    /// The password in plain text.
    package var password: String

    /// Creates a request body.
    package init(email: String, password: String) {
        self.email = email
        self.password = password
    }

    /// The name of the type, without the values.
    package var description: String { "OnyxRegistration" }

    /// An empty mirror, so that dumps show no secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The response to `POST /auth/register`, 201.
///
/// Source: docs/protocols/onyx.md, Registration.
package struct OnyxRegistered: Codable, Sendable, Equatable {
    /// The new person's id.
    package var id: String
    /// The e-mail address in lower case.
    package var email: String
    /// Whether the person may sign in.
    package var isActive: Bool
    /// Whether the person administers the server.
    var isSuperuser: Bool
    /// Whether the e-mail address was verified.
    package var isVerified: Bool
    /// The kind of account: `STANDARD` for a person.
    var accountType: String

    enum CodingKeys: String, CodingKey {
        case id, email
        case isActive = "is_active"
        case isSuperuser = "is_superuser"
        case isVerified = "is_verified"
        case accountType = "account_type"
    }

    /// Creates a response for an active standard account.
    package init(id: String, email: String, isSuperuser: Bool = false, isVerified: Bool = false) {
        self.id = id
        self.email = email
        self.isActive = true
        self.isSuperuser = isSuperuser
        self.isVerified = isVerified
        self.accountType = "STANDARD"
    }
}
