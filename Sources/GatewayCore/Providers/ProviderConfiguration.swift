package import OpenIDConnect

/// The configuration of an identity provider that people can sign in through.
///
/// Source: OX-7.
package struct ProviderConfiguration: Sendable, Equatable {
    /// The kind of a provider.
    package enum Kind: String, Sendable, CaseIterable {
        /// Any OpenID Connect provider.
        case oidc
        /// Google.
        case google
        /// Sign in with Apple.
        case apple
    }

    /// The id, which is part of paths: lower-case letters, digits and hyphens.
    package var id: String
    /// The kind of the provider.
    package var kind: Kind
    /// The text of the sign-in button.
    package var title: String
    /// The OpenID Connect settings of the provider.
    package var settings: ProviderSettings
    /// Whether an identity that is seen for the first time is linked to the person with its e-mail address, if the
    /// provider has verified the address. `false` by default.
    package var linksByEmail: Bool
    /// Whether a person without an account gets one. `false` by default.
    package var allowsRegistration: Bool
    /// The domains of the e-mail addresses that may sign in; empty for all domains.
    package var domains: [String]
    /// Whether only people who already have an account may sign in. `false` by default.
    package var invitedOnly: Bool
    /// Whether an invited person can sign in here, with an address that the provider has verified.
    package var admitsInvited: Bool { linksByEmail || invitedOnly || allowsRegistration }
    /// The path below the dialect's prefix that the provider redirects browsers to; nil for the default path.
    package var callback: String?
    /// A file with certificate authorities that are trusted for the provider, in addition to those of the system; nil
    /// for none.
    package var authorityFile: String?

    /// Creates a configuration.
    package init(
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
