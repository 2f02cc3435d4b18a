/// What is configured about one identity provider.
public struct ProviderSettings: Sendable, Equatable {
    /// The provider's name for itself: an address without query and fragment, compared character by character.
    ///
    /// `https`, or `http` when its host is this machine itself.
    public var issuer: String
    /// The gateway's name at the provider.
    public var clientID: String
    /// How the gateway shows who it is.
    public var authentication: ClientAuthentication
    /// What is asked for; `openid` is added when it is missing.
    public var scopes: [String]
    /// How the answer shall come; nil leaves it to the provider, whose usual way is the query.
    public var responseMode: ResponseMode?
    /// Further parameters of the authorization request, as `prompt` or `hd`.
    public var parameters: [(String, String)]
    /// Whom an ID token may be meant for besides this client, where a provider names more; nobody unless told.
    ///
    /// Source: OpenID Connect Core §3.1.3.7, step 3.
    public var trustedAudiences: [String]
    /// How much the provider's clock may differ from this one.
    public var maximumClockSkew: Duration
    /// The longest that one request to the provider may take.
    public var timeout: Duration
    /// The claim that tells the person's groups, such as `groups`, or with dots for one that is deeper; nil when groups are
    /// not asked for.
    public var groupsClaim: String?

    /// Makes settings.
    public init(
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

    /// Says what cannot work, before any request is made.
    ///
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/misconfigured``.
    ///
    /// Source: OpenID Connect Discovery §3 and §7.1; OpenID Connect Core §3.1.2.1.
    public func check() throws(OpenIDConnectError) {
        guard let address = WebAddress(issuer), !address.hasQuery else {
            throw misconfigured("its issuer is no web address without query; write it as 'https://host/path'.")
        }
        guard address.isSecure || address.isLoopback else {
            throw misconfigured("its issuer is plain http, which only this machine itself may be; write 'https://'.")
        }
        guard !clientID.isEmpty else { throw misconfigured("its client id is empty; write the one it gave you.") }
        guard scopes.allSatisfy(Self.isScope) else {
            throw misconfigured("one of its scopes is empty or holds a blank; write each by itself.")
        }
        for (name, _) in parameters where Self.ownParameters.contains(name) {
            throw misconfigured("the parameter '\(name)' is this gateway's own business; leave it out.")
        }
        if case .apple = authentication { _ = try AppleSecret(self) }
    }

    var scope: String {
        (scopes.contains("openid") ? scopes : ["openid"] + scopes).joined(separator: " ")
    }

    private func misconfigured(_ reason: String) -> OpenIDConnectError {
        OpenIDConnectError(.misconfigured, "Could not use the identity provider: \(reason)")
    }

    /// Source: RFC 6749 §3.3.
    private static func isScope(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    /// What a request for a code holds anyway, and what would change the kind of answer or hand it on unsigned.
    static let ownParameters: Set = [
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "response_mode", "request", "request_uri", "client_secret",
    ]
}

extension ProviderSettings {
    /// Whether both say the same.
    public static func == (one: ProviderSettings, other: ProviderSettings) -> Bool {
        one.issuer == other.issuer && one.clientID == other.clientID && one.authentication == other.authentication
            && one.scopes == other.scopes && one.responseMode == other.responseMode
            && one.parameters.elementsEqual(other.parameters, by: ==) && one.trustedAudiences == other.trustedAudiences
            && one.maximumClockSkew == other.maximumClockSkew && one.timeout == other.timeout
            && one.groupsClaim == other.groupsClaim
    }
}

extension ProviderSettings: CustomReflectable {
    /// A mirror without the parameters' values.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": issuer, "clientID": clientID, "scopes": scopes])
    }
}
