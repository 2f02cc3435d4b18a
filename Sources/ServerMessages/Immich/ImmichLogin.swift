/// The body of `POST /auth/login`.
///
/// Source: IM-5; contract of Immich, endpoints.
public struct ImmichLogin: Codable, Sendable, CustomStringConvertible, CustomReflectable {
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
    public var description: String { "ImmichLogin" }

    /// An empty mirror, so that dumps show no secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The response to a sign-in with a password or through an identity provider, 201.
///
/// Source: IM-5; contract of Immich, shapes.
public struct ImmichLoginResponse: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The opaque token.
    public var accessToken: String
    /// The person's id.
    public var userId: String
    /// The person's e-mail address.
    public var userEmail: String
    /// The person's display name.
    public var name: String
    /// The path of the person's profile picture. Empty when there is none.
    public var profileImagePath: String
    /// Whether the person administers the server.
    public var isAdmin: Bool
    /// Whether the person must change the password first.
    public var shouldChangePassword: Bool
    /// Whether the person has completed the app's introduction. Older servers leave it out.
    public var isOnboarded: Bool?

    /// Creates a response.
    public init(
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
    public var description: String { "ImmichLoginResponse(\(userId))" }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: ["userId": userId]) }
}

/// The response to `POST /auth/validateToken`, 200.
///
/// Source: contract of Immich, endpoints.
public struct ImmichTokenStatus: Codable, Sendable, Equatable {
    /// Whether the token is valid. Always true, because an invalid token is refused with 401.
    public var authStatus: Bool

    /// Creates a response.
    public init(authStatus: Bool) {
        self.authStatus = authStatus
    }
}

/// The response to `POST /auth/logout`, 200.
///
/// Source: IM-11; contract of Immich, b.5.
public struct ImmichLogoutResponse: Codable, Sendable, Equatable {
    /// Whether the session ended.
    public var successful: Bool
    /// The address that a browser opens next.
    public var redirectUri: String

    /// Creates a response.
    public init(successful: Bool, redirectUri: String) {
        self.successful = successful
        self.redirectUri = redirectUri
    }
}

/// The response to `GET /auth/status`, 200.
///
/// Source: IM-15; contract of Immich, endpoints.
public struct ImmichAuthStatus: Codable, Sendable, Equatable {
    /// Whether the person has a PIN.
    public var pinCode: Bool
    /// Whether the person has a password.
    public var password: Bool
    /// Whether the session may access locked assets.
    public var isElevated: Bool
    /// When the session expires, ISO 8601 in UTC.
    public var expiresAt: String?
    /// When ``isElevated`` becomes false, ISO 8601 in UTC.
    public var pinExpiresAt: String?

    /// Creates a response.
    public init(
        pinCode: Bool, password: Bool, isElevated: Bool, expiresAt: String? = nil, pinExpiresAt: String? = nil
    ) {
        self.pinCode = pinCode
        self.password = password
        self.isElevated = isElevated
        self.expiresAt = expiresAt
        self.pinExpiresAt = pinExpiresAt
    }
}
