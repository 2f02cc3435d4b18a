/// The body of `POST /oauth/authorize`.
///
/// Source: IM-7; contract of Immich, b.10.
public struct ImmichAuthorization: Codable, Sendable, Equatable {
    /// The address to which the browser is redirected at the end of the sign-in.
    public var redirectUri: String
    /// The value that ties the response to this client.
    public var state: String?
    /// The S256 challenge of the client's PKCE verifier.
    public var codeChallenge: String?

    /// Creates a request body.
    public init(redirectUri: String, state: String? = nil, codeChallenge: String? = nil) {
        self.redirectUri = redirectUri
        self.state = state
        self.codeChallenge = codeChallenge
    }
}

/// The response to `POST /oauth/authorize`, 201.
///
/// Source: IM-7; contract of Immich, endpoints.
public struct ImmichAuthorizationResponse: Codable, Sendable, Equatable {
    /// The address that the browser opens to begin the sign-in.
    public var url: String

    /// Creates a response.
    public init(url: String) {
        self.url = url
    }
}

/// The body of `POST /oauth/callback` and `POST /oauth/link`.
///
/// Source: IM-7; contract of Immich, b.10.
public struct ImmichCallback: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The complete address to which the browser was redirected at the end.
    public var url: String
    /// The state with which the client began the sign-in.
    public var state: String?
    /// The PKCE verifier with which the client began the sign-in.
    public var codeVerifier: String?

    /// Creates a request body.
    public init(url: String, state: String? = nil, codeVerifier: String? = nil) {
        self.url = url
        self.state = state
        self.codeVerifier = codeVerifier
    }

    /// The name of the type, without code and verifier.
    public var description: String { "ImmichCallback" }

    /// An empty mirror, so that dumps show no secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
