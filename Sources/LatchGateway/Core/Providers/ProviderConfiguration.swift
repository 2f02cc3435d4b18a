public import OpenIDConnect

/// The configuration of an identity provider that people can sign in through.
///
/// Source: OX-7.
public struct ProviderConfiguration: Sendable, Equatable {
    /// The kind of a provider.
    public enum Kind: String, Sendable, CaseIterable {
        /// Any OpenID Connect provider.
        case oidc
        /// Google.
        case google
        /// Sign in with Apple.
        case apple
    }

    /// The id, which is part of paths: lower-case letters, digits and hyphens.
    public var id: String
    /// The kind of the provider.
    public var kind: Kind
    /// The text of the sign-in button.
    public var title: String
    /// The OpenID Connect settings of the provider.
    public var settings: ProviderSettings
    /// Whether an identity that is seen for the first time is linked to the person with its e-mail address, if the
    /// provider has verified the address. `false` by default.
    public var linksByEmail: Bool
    /// Whether a person without an account gets one. `false` by default.
    public var allowsRegistration: Bool
    /// The domains of the e-mail addresses that may sign in; empty for all domains.
    public var domains: [String]
    /// Whether only people who already have an account may sign in. `false` by default.
    public var invitedOnly: Bool
    /// The path below the dialect's prefix that the provider redirects browsers to; nil for the default path.
    public var callback: String?
    /// A file with certificate authorities that are trusted for the provider, in addition to those of the system; nil
    /// for none.
    public var authorityFile: String?

    /// Creates a configuration.
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
