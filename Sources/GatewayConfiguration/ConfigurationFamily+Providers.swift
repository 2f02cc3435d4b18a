import Crypto
import GatewayCore
import OpenIDConnect

extension ConfigurationFamily {
    /// The identity providers, in the order of their buttons.
    static let providers = ConfigurationFamily(path: "providers") { name in
        Self.general(name) + Self.client(name) + Self.entrance(name) + Self.transport(name)
    }

    private static func general(_ name: String) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                "providers.\(name).enabled", \.providers[name].isEnabled, as: .boolean,
                summary: "Whether people may sign in through this provider."),
            ConfigurationKey(
                "providers.\(name).kind", \.providers[name].kind,
                as: .choice(ProviderConfiguration.Kind.allCases.map { ($0.rawValue, $0) }),
                summary: "oidc for any OpenID Connect issuer; google and apple have a fixed one."),
            ConfigurationKey(
                "providers.\(name).title", \.providers[name].title, as: .shown, summary: "The text of its button.",
                defaultValue: "the name of the preset or of the provider"),
            ConfigurationKey(
                "providers.\(name).issuer", \.providers[name].issuer, as: .optionalText("an address"),
                summary: "The issuer, exactly as the provider publishes it. Only for kind oidc."),
        ]
    }

    private static func client(_ name: String) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                "providers.\(name).client_id", \.providers[name].clientID, as: .optionalText("a word"),
                summary: "The id of this server at the provider. For Apple, the Services ID."),
            ConfigurationKey(
                "providers.\(name).client_secret", \.providers[name].secret, as: .secret,
                summary: "The secret from the provider. A file is safer."),
            ConfigurationKey(
                "providers.\(name).client_secret_file", \.providers[name].fileSecret, as: .secretFile,
                summary: "A file that contains only that secret."),
            ConfigurationKey(
                "providers.\(name).client_authentication", \.providers[name].authentication, as: .authentication,
                summary: "How the secret is sent: in a header (basic) or in the form (post). A public client has none.",
                defaultValue: "basic"),
            ConfigurationKey(
                list: "providers.\(name).audiences", \.providers[name].audiences, of: .word,
                summary: "Further audiences that its ID tokens may have. Zitadel includes the project and its other "
                    + "clients."),
            ConfigurationKey(
                "providers.\(name).team_id", \.providers[name].teamID, as: .appleID,
                summary: "Apple's Team ID. Only for kind apple."),
            ConfigurationKey(
                "providers.\(name).key_id", \.providers[name].keyID, as: .appleID,
                summary: "The id of the key. Only for kind apple."),
            ConfigurationKey(
                "providers.\(name).key_file", \.providers[name].key, as: .secretFile,
                summary: "The key's .p8 file, as downloaded from Apple. Only for kind apple."),
        ]
    }

    private static func entrance(_ name: String) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                "providers.\(name).registration", \.providers[name].registration,
                as: .choice([("none", .none), ("invited", .invited), ("open", .open)]),
                summary: "Who may sign in with an identity that is not linked: none, invited (people added with "
                    + "'latchd user add --invite'), or open (everyone)."),
            ConfigurationKey(
                "providers.\(name).link_by_email", \.providers[name].linksByEmail, as: .boolean,
                summary: "Whether a new identity is linked to the person with the same e-mail address, if the provider "
                    + "has verified the address."),
            ConfigurationKey(
                list: "providers.\(name).domains", \.providers[name].domains, of: .domain,
                summary: "The domains of e-mail addresses that may sign in. The addresses must be verified. By "
                    + "default, all."),
            ConfigurationKey(
                "providers.\(name).groups_claim", \.providers[name].groupsClaim, as: .optionalText("a claim's name"),
                summary: "The claim with a person's groups, in the ID token or else from UserInfo, such as roles or "
                    + "realm_access.roles. With none, the groups of the provider are ignored.",
                defaultValue: "groups if verify.enabled is true, else none"),
        ]
    }

    private static func transport(_ name: String) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                list: "providers.\(name).scopes", \.providers[name].scopes, of: .word,
                summary: "The scopes to request, instead of openid, email and profile (for Apple: name)."),
            ConfigurationKey(
                "providers.\(name).response_mode", \.providers[name].responseMode, as: .responseMode,
                summary: "How the response is returned: query or form_post. With none, the provider decides.",
                defaultValue: "none"),
            ConfigurationKey(
                list: "providers.\(name).parameters", \.providers[name].parameters, of: .parameter,
                summary: "Additional parameters of the request, such as prompt=select_account."),
            ConfigurationKey(
                "providers.\(name).callback", \.providers[name].callback, as: .optionalText("a path"),
                summary: "The path below the dialect's prefix to which the provider redirects browsers.",
                defaultValue: "/auth/oauth/callback for the only provider, else /auth/oauth/ID/callback"),
            ConfigurationKey(
                "providers.\(name).ca_file", \.providers[name].authorityFile, as: .optionalPath,
                summary: "Certificate authorities in PEM format to trust for the provider, in addition to the "
                    + "system's."),
            ConfigurationKey(
                "providers.\(name).timeout", \.providers[name].timeout, as: .duration(.seconds(1)...(.seconds(60))),
                summary: "The maximum time for one request to the provider."),
            ConfigurationKey(
                "providers.\(name).clock_skew", \.providers[name].clockSkew, as: .duration(.zero...(.seconds(600))),
                summary: "How much the provider's clock may differ from this server's."),
        ]
    }
}
