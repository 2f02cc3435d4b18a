/// The body of `POST /oauth/authorize`.
///
/// Source: IM-7; contract of Immich, b.10.
public struct ImmichAuthorization: Codable, Sendable, Equatable {
    /// Where the browser ends.
    public var redirectUri: String
    /// Ties the answer to this client.
    public var state: String?
    /// The S256 challenge of the client's verifier.
    public var codeChallenge: String?

    /// Makes a body.
    public init(redirectUri: String, state: String? = nil, codeChallenge: String? = nil) {
        self.redirectUri = redirectUri
        self.state = state
        self.codeChallenge = codeChallenge
    }
}

/// The answer to it, 201.
///
/// Source: IM-7; contract of Immich, endpoints.
public struct ImmichAuthorizationResponse: Codable, Sendable, Equatable {
    /// Where the browser begins.
    public var url: String

    /// Makes an answer.
    public init(url: String) {
        self.url = url
    }
}

/// The body of `POST /oauth/callback` and `POST /oauth/link`.
///
/// Source: IM-7; contract of Immich, b.10.
public struct ImmichCallback: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The whole address that the browser ended at.
    public var url: String
    /// The state that the client began with.
    public var state: String?
    /// The verifier that the client began with.
    public var codeVerifier: String?

    /// Makes a body.
    public init(url: String, state: String? = nil, codeVerifier: String? = nil) {
        self.url = url
        self.state = state
        self.codeVerifier = codeVerifier
    }

    /// Neither code nor verifier is ever described.
    public var description: String { "ImmichCallback" }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
