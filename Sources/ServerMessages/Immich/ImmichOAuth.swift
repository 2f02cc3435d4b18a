import HTTPMessages

/// The body of `POST /oauth/authorize`.
///
/// Source: IM-7; docs/protocols/immich.md, Sign-in through a provider.
package struct ImmichAuthorization: Codable, Sendable, Equatable {
    /// The address to which the browser is redirected at the end of the sign-in.
    package var redirectUri: String
    /// The value that ties the response to this client.
    package var state: String?
    /// The S256 challenge of the client's PKCE verifier.
    package var codeChallenge: String?

    /// Creates a request body.
    package init(redirectUri: String, state: String? = nil, codeChallenge: String? = nil) {
        self.redirectUri = redirectUri
        self.state = state
        self.codeChallenge = codeChallenge
    }
}

/// The response to `POST /oauth/authorize`, 201.
///
/// Source: IM-7; docs/protocols/immich.md, Sign-in through a provider.
package struct ImmichAuthorizationResponse: Codable, Sendable, Equatable {
    /// The address that the browser opens to begin the sign-in.
    package var url: String

    /// Creates a response.
    package init(url: String) {
        self.url = url
    }
}

/// The body of `POST /oauth/callback` and `POST /oauth/link`.
///
/// Source: IM-7; docs/protocols/immich.md, Sign-in through a provider.
package struct ImmichCallback: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The complete address to which the browser was redirected at the end.
    package var url: String
    /// The state with which the client began the sign-in.
    package var state: String?
    /// The PKCE verifier with which the client began the sign-in.
    package var codeVerifier: String?

    /// Creates a request body.
    package init(url: String, state: String? = nil, codeVerifier: String? = nil) {
        self.url = url
        self.state = state
        self.codeVerifier = codeVerifier
    }

    /// The name of the type, without code and verifier.
    package var description: String { "ImmichCallback" }

    /// An empty mirror, so that dumps show no secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
