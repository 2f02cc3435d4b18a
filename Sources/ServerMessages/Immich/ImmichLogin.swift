import HTTPMessages

/// The body of `POST /auth/login`.
///
/// Source: IM-5; docs/protocols/immich.md, Sign-in with a password.
package struct ImmichLogin: Codable, Sendable, CustomStringConvertible, CustomReflectable {
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
    package var description: String { "ImmichLogin" }

    /// An empty mirror, so that dumps show no secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The response to a sign-in with a password or through an identity provider, 201.
///
/// Source: IM-5; docs/protocols/immich.md, Sign-in with a password.
package struct ImmichLoginResponse: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The opaque token.
    package var accessToken: String
    /// The person's id.
    package var userId: String
    /// The person's e-mail address.
    package var userEmail: String
    /// The person's display name.
    package var name: String
    /// The path of the person's profile picture. Empty when there is none.
    var profileImagePath: String
    /// Whether the person administers the server.
    package var isAdmin: Bool
    /// Whether the person must change the password first.
    package var shouldChangePassword: Bool
    /// Whether the person has completed the app's introduction. Older servers leave it out.
    var isOnboarded: Bool?

    /// Creates a response.
    package init(
        accessToken: String, userId: String, userEmail: String, name: String, profileImagePath: String = "",
        isAdmin: Bool = false, shouldChangePassword: Bool = false, isOnboarded: Bool? = true
    ) {
        self.accessToken = accessToken
        self.userId = userId
        self.userEmail = userEmail
        self.name = name
        self.profileImagePath = profileImagePath
        self.isAdmin = isAdmin
        self.shouldChangePassword = shouldChangePassword
        self.isOnboarded = isOnboarded
    }

    /// The name of the type and the person's id, without the token.
    package var description: String { "ImmichLoginResponse(\(userId))" }

    /// A mirror without the token.
    package var customMirror: Mirror { Mirror(self, children: ["userId": userId]) }
}

/// The response to `POST /auth/validateToken`, 200.
///
/// Source: docs/protocols/immich.md, Tokens.
package struct ImmichTokenStatus: Codable, Sendable, Equatable {
    /// Whether the token is valid. Always true, because an invalid token is refused with 401.
    package var authStatus: Bool

    /// Creates a response.
    package init(authStatus: Bool) {
        self.authStatus = authStatus
    }
}

/// The response to `POST /auth/logout`, 200.
///
/// Source: IM-11; docs/protocols/immich.md, Sign-out.
package struct ImmichLogoutResponse: Codable, Sendable, Equatable {
    /// Whether the session ended.
    package var successful: Bool
    /// The address that a browser opens next.
    package var redirectUri: String

    /// Creates a response.
    package init(successful: Bool, redirectUri: String) {
        self.successful = successful
        self.redirectUri = redirectUri
    }
}

/// The response to `GET /auth/status`, 200.
///
/// Source: IM-15; docs/protocols/immich.md, PIN and locked assets.
package struct ImmichAuthStatus: Codable, Sendable, Equatable {
    /// Whether the person has a PIN.
    package var pinCode: Bool
    /// Whether the person has a password.
    package var password: Bool
    /// Whether the session may access locked assets.
    package var isElevated: Bool
    /// When the session expires, ISO 8601 in UTC.
    package var expiresAt: String?
    /// When ``isElevated`` becomes false, ISO 8601 in UTC.
    package var pinExpiresAt: String?

    /// Creates a response.
    package init(
        pinCode: Bool, password: Bool, isElevated: Bool, expiresAt: String? = nil, pinExpiresAt: String? = nil
    ) {
        self.pinCode = pinCode
        self.password = password
        self.isElevated = isElevated
        self.expiresAt = expiresAt
        self.pinExpiresAt = pinExpiresAt
    }
}
