/// The body of `POST /auth/login`.
///
/// Source: IM-5; contract of Immich, endpoints.
public struct ImmichLogin: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The address.
    public var email: String
    /// The password, in the clear.
    public var password: String

    /// Makes a body.
    public init(email: String, password: String) {
        self.email = email
        self.password = password
    }

    /// Without the password.
    public var description: String { "ImmichLogin" }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The answer to a sign-in, with a password or through an identity provider, 201.
///
/// Source: IM-5; contract of Immich, shapes.
public struct ImmichLoginResponse: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The opaque token.
    public var accessToken: String
    /// The person's id.
    public var userId: String
    /// The person's address.
    public var userEmail: String
    /// The name to show.
    public var name: String
    /// Where a picture of the person is; empty for none.
    public var profileImagePath: String
    /// Whether the person administers the server.
    public var isAdmin: Bool
    /// Whether the person must choose another password first.
    public var shouldChangePassword: Bool
    /// Whether the person was shown around; older servers leave it out.
    public var isOnboarded: Bool?

    /// Makes an answer.
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

    /// The person's id; the token is never described.
    public var description: String { "ImmichLoginResponse(\(userId))" }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: ["userId": userId]) }
}

/// The answer to `POST /auth/validateToken`, 200.
///
/// Source: contract of Immich, endpoints.
public struct ImmichTokenStatus: Codable, Sendable, Equatable {
    /// Whether the token is good; a refusal is a 401.
    public var authStatus: Bool

    /// Makes an answer.
    public init(authStatus: Bool) {
        self.authStatus = authStatus
    }
}

/// The answer to `POST /auth/logout`, 200.
///
/// Source: IM-11; contract of Immich, b.5.
public struct ImmichLogoutResponse: Codable, Sendable, Equatable {
    /// Whether the session was ended.
    public var successful: Bool
    /// Where a browser goes now.
    public var redirectUri: String

    /// Makes an answer.
    public init(successful: Bool, redirectUri: String) {
        self.successful = successful
        self.redirectUri = redirectUri
    }
}

/// The answer to `GET /auth/status`, 200.
///
/// Source: IM-15; contract of Immich, endpoints.
public struct ImmichAuthStatus: Codable, Sendable, Equatable {
    /// Whether the person has a PIN.
    public var pinCode: Bool
    /// Whether the person has a password.
    public var password: Bool
    /// Whether the session may see what is locked.
    public var isElevated: Bool
    /// When the session ends, ISO 8601 in UTC.
    public var expiresAt: String?
    /// When ``isElevated`` ends.
    public var pinExpiresAt: String?

    /// Makes an answer.
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
