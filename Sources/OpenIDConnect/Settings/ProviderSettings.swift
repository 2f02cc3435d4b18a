import OAuth

/// The settings of one identity provider.
package struct ProviderSettings: Sendable, Equatable {
    /// The issuer identifier of the provider: a URL without query and fragment, compared character by character.
    ///
    /// Must be `https`, or `http` if its host is this machine.
    package var issuer: String
    /// The client id of the gateway at the provider.
    package var clientID: String
    /// The method by which the gateway authenticates.
    package var authentication: ClientAuthentication
    /// The requested scopes. `openid` is added if it is missing.
    package var scopes: [String]
    /// The mode of the authorization response. Nil leaves it to the provider, which usually uses the query.
    package var responseMode: ResponseMode?
    /// Further parameters of the authorization request, such as `prompt` or `hd`.
    package var parameters: [(String, String)]
    /// Audiences that an ID token may contain in addition to this client. Default: none.
    ///
    /// Source: OpenID Connect Core §3.1.3.7, step 3.
    package var trustedAudiences: [String]
    /// The maximum difference between the provider's clock and this one. Default: 60 seconds.
    package var maximumClockSkew: Duration
    /// The timeout of each request to the provider. Default: 10 seconds.
    package var timeout: Duration
    /// The claim with the person's groups, such as `groups`, or a path with dots for a nested claim. Nil when groups
    /// are not requested.
    package var groupsClaim: String?

    /// Makes settings.
    package init(
        issuer: String, clientID: String, authentication: ClientAuthentication = .none,
        scopes: [String] = ["openid", "email", "profile"], responseMode: ResponseMode? = nil,
        parameters: [(String, String)] = [], trustedAudiences: [String] = [], maximumClockSkew: Duration = .seconds(60),
        timeout: Duration = .seconds(10), groupsClaim: String? = nil
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.authentication = authentication
        self.scopes = scopes
        self.responseMode = responseMode
        self.parameters = parameters
        self.trustedAudiences = trustedAudiences
        self.maximumClockSkew = maximumClockSkew
        self.timeout = timeout
        self.groupsClaim = groupsClaim
    }

    /// Validates the settings without sending a request.
    ///
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/misconfigured``.
    ///
    /// Source: OpenID Connect Discovery §3 and §7.1; OpenID Connect Core §3.1.2.1.
    package func check() throws(OpenIDConnectError) {
        guard let address = WebAddress(issuer), !address.hasQuery else {
            throw misconfigured("its issuer is not a web address without a query; write it as 'https://host/path'.")
        }
        guard address.isSecure || address.isLoopback else {
            throw misconfigured("its issuer uses plain http, which is allowed only on this machine; write 'https://'.")
        }
        guard !clientID.isEmpty else { throw misconfigured("its client id is empty; write the id that it issued.") }
        guard scopes.allSatisfy(ScopeToken.isValid) else {
            throw misconfigured("one of its scopes is empty or contains a space; write each scope separately.")
        }
        for (name, _) in parameters where Self.ownParameters.contains(name) {
            throw misconfigured("the parameter '\(name)' is set by the gateway itself; remove it.")
        }
        if case .apple = authentication { _ = try AppleSecret(self) }
    }

    var scope: String {
        (scopes.contains("openid") ? scopes : ["openid"] + scopes).joined(separator: " ")
    }

    private func misconfigured(_ reason: String) -> OpenIDConnectError {
        OpenIDConnectError(.misconfigured, "Could not use the identity provider: \(reason)")
    }

    /// Parameters that the authorization request sets itself, and parameters that would change the kind of response or
    /// pass the request on unsigned.
    static let ownParameters: Set = [
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "response_mode", "request", "request_uri", "client_secret",
    ]
}

extension ProviderSettings {
    /// Returns whether two settings are equal.
    package static func == (one: ProviderSettings, other: ProviderSettings) -> Bool {
        one.issuer == other.issuer && one.clientID == other.clientID && one.authentication == other.authentication
            && one.scopes == other.scopes && one.responseMode == other.responseMode
            && one.parameters.elementsEqual(other.parameters, by: ==) && one.trustedAudiences == other.trustedAudiences
            && one.maximumClockSkew == other.maximumClockSkew && one.timeout == other.timeout
            && one.groupsClaim == other.groupsClaim
    }
}

extension ProviderSettings: CustomReflectable {
    /// A mirror with the issuer, client id and scopes only, and without secrets.
    package var customMirror: Mirror {
        Mirror(self, children: ["issuer": issuer, "clientID": clientID, "scopes": scopes])
    }
}
