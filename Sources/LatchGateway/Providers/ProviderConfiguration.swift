public import OpenIDConnect

/// An identity provider that people may sign in through: a row of the configuration.
///
/// Source: OX-7.
public struct ProviderConfiguration: Sendable, Equatable {
    /// What a row may be.
    public enum Kind: String, Sendable, CaseIterable {
        /// Any issuer of OpenID Connect.
        case oidc
        /// Google.
        case google
        /// Sign in with Apple.
        case apple
    }

    /// The id, which stands in paths: lower-case letters, digits and hyphens.
    public var id: String
    /// What it is.
    public var kind: Kind
    /// The text of the button.
    public var title: String
    /// How the provider is spoken to.
    public var settings: ProviderSettings
    /// Whether an identity that is seen for the first time is a person's here who has its e-mail address, when the provider
    /// has verified that.
    public var linksByEmail: Bool
    /// Whether somebody who has no account here gets one.
    public var allowsRegistration: Bool
    /// The domains of the e-mail addresses that may come in; empty for every one.
    public var domains: [String]
    /// Whether only people come in who have an account already.
    public var invitedOnly: Bool
    /// The path below the dialect's prefix that the provider sends browsers back to; nil for the usual one.
    public var callback: String?
    /// The file of authorities that the provider's certificate is judged by beside the system's.
    public var authorityFile: String?

    /// Makes a configuration.
    public init(
        id: String, kind: Kind = .oidc, title: String, settings: ProviderSettings, linksByEmail: Bool = false,
        allowsRegistration: Bool = false, domains: [String] = [], invitedOnly: Bool = false, callback: String? = nil,
        authorityFile: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.settings = settings
        self.linksByEmail = linksByEmail
        self.allowsRegistration = allowsRegistration
        self.domains = domains
        self.invitedOnly = invitedOnly
        self.callback = callback
        self.authorityFile = authorityFile
    }
}
