import Crypto
import OpenIDConnect

/// What the configuration says about one identity provider, while it is read.
struct ProviderDraft: Sendable {
    /// How the gateway shows who it is, as it is written.
    enum Authentication: Sendable { case basic, post, none }

    /// Who may come in that is not known yet.
    enum Registration: Sendable { case none, invited, open }

    var isEnabled = true
    var kind = ProviderConfiguration.Kind.oidc
    var title: String?
    var issuer: String?
    var clientID: String?
    var secret: Secret?
    var fileSecret: Secret?
    var authentication: Authentication?
    var scopes: [String] = []
    var responseMode: ResponseMode?
    var parameters: [String] = []
    var linksByEmail = false
    var registration = Registration.none
    var domains: [String] = []
    var audiences: [String] = []
    var callback: String?
    var authorityFile: String?
    var teamID: String?
    var keyID: String?
    var key: Secret?
    var timeout = Duration.seconds(10)
    var clockSkew = Duration.seconds(60)
    /// The claim of groups as it was written; nil when nothing was.
    var groupsClaim: String?

    /// The provider of this name; whether it can be used is another matter.
    func configuration(_ name: String) -> ProviderConfiguration {
        ProviderConfiguration(
            id: name, kind: kind, title: title ?? kind.preset?.title ?? name, settings: settings,
            linksByEmail: linksByEmail, allowsRegistration: registration == .open, domains: domains,
            invitedOnly: registration == .invited, callback: callback, authorityFile: authorityFile)
    }

    private var settings: ProviderSettings {
        var settings = ProviderSettings(
            issuer: issuer ?? kind.preset?.issuer ?? "", clientID: clientID ?? "", authentication: credentials,
            responseMode: responseMode, parameters: parameters.map(Self.parameter), trustedAudiences: audiences,
            maximumClockSkew: clockSkew, timeout: timeout)
        if let preset = kind.preset { settings.scopes = preset.scopes }
        // Apple hands name and address over in a posted form only.
        if kind == .apple { settings.responseMode = .formPost }
        if !scopes.isEmpty { settings.scopes = scopes }
        return settings
    }

    private var credentials: ClientAuthentication {
        if kind == .apple {
            return .apple(teamID: teamID ?? "", keyID: keyID ?? "", key: key ?? Secret(""))
        }
        guard let secret = secret ?? fileSecret else { return .none }
        return authentication == .post ? .post(secret) : .basic(secret)
    }

    private static func parameter(_ text: String) -> (String, String) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (halves[0], halves.count == 2 ? halves[1] : "")
    }
}

extension ProviderConfiguration.Kind {
    /// What is known of a provider that everybody uses.
    struct Preset: Sendable {
        let title: String
        let issuer: String
        let scopes: [String]
    }

    /// Nil for any other provider.
    ///
    /// Source: the discovery documents below both issuers; Apple, "Sign in with Apple REST API", `scope`.
    var preset: Preset? {
        switch self {
        case .oidc: nil
        case .google:
            Preset(title: "Google", issuer: "https://accounts.google.com", scopes: ["openid", "email", "profile"])
        case .apple: Preset(title: "Apple", issuer: "https://appleid.apple.com", scopes: ["openid", "email", "name"])
        }
    }
}
