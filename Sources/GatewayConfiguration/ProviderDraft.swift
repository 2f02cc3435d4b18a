import Crypto
import GatewayCore
import OpenIDConnect

/// The values of one identity provider while the configuration is read.
package struct ProviderDraft: Sendable {
    /// How the gateway authenticates at the provider, as written in the configuration.
    enum Authentication: Sendable { case basic, post, none }

    /// The people without a linked account who may sign in.
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
    /// The claim with the groups, as written. Nil when the key is not set.
    var groupsClaim: String?

    /// Returns the provider with this name. It may not be usable.
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
        // Apple sends the name and the address only in a posted form.
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
    /// The properties of a well-known provider.
    struct Preset: Sendable {
        let title: String
        let issuer: String
        let scopes: [String]
    }

    /// The properties of the provider, or nil for providers that are not well known.
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
