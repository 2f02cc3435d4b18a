import Crypto
import OpenIDConnect

extension ConfigurationFamily {
    /// The identity providers, in the order of their buttons.
    static let providers = ConfigurationFamily(path: "providers") { name in
        Self.general(name) + Self.client(name) + Self.entrance(name) + Self.transport(name)
    }

    private static func general(_ name: String) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                "providers.\(name).enabled", \.providers[name].isEnabled, .boolean,
                "Whether people may come in through it."),
            ConfigurationKey(
                "providers.\(name).kind", \.providers[name].kind,
                .choice(ProviderConfiguration.Kind.allCases.map { ($0.rawValue, $0) }),
                "oidc for any OpenID Connect issuer; google and apple know their own."),
            ConfigurationKey(
                "providers.\(name).title", \.providers[name].title, .shown, "The text of its button.",
                defaultValue: "the preset's name, or the provider's"),
            ConfigurationKey(
                "providers.\(name).issuer", \.providers[name].issuer, .optionalWord("an address"),
                "The issuer, exactly as the provider writes it; only kind oidc has one."),
        ]
    }

    private static func client(_ name: String) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                "providers.\(name).client_id", \.providers[name].clientID, .optionalWord("a word"),
                "What the provider calls this server; for Apple the Services ID."),
            ConfigurationKey(
                "providers.\(name).client_secret", \.providers[name].secret, .secret,
                "The secret that the provider gave; better in a file."),
            ConfigurationKey(
                "providers.\(name).client_secret_file", \.providers[name].fileSecret, .secretFile,
                "A file with that secret and nothing else."),
            ConfigurationKey(
                "providers.\(name).client_authentication", \.providers[name].authentication, .authentication,
                "How the secret is shown: in a header (basic) or the form (post); none for a public client.",
                defaultValue: "basic"),
            ConfigurationKey(
                list: "providers.\(name).audiences", \.providers[name].audiences, of: .word,
                "Whom its ID tokens may be meant for besides this server; Zitadel names the project and its other clients."
            ),
            ConfigurationKey(
                "providers.\(name).team_id", \.providers[name].teamID, .appleID,
                "Apple's Team ID; only kind apple has one."),
            ConfigurationKey(
                "providers.\(name).key_id", \.providers[name].keyID, .appleID,
                "The id of the key; only kind apple has one."),
            ConfigurationKey(
                "providers.\(name).key_file", \.providers[name].key, .secretFile,
                "The key's .p8 file as Apple gave it; only kind apple has one."),
        ]
    }

    private static func entrance(_ name: String) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                "providers.\(name).registration", \.providers[name].registration,
                .choice([("none", .none), ("invited", .invited), ("open", .open)]),
                "Who comes in that was not linked yet: nobody, people added with 'latchd user add --invite', or everybody."
            ),
            ConfigurationKey(
                "providers.\(name).link_by_email", \.providers[name].linksByEmail, .boolean,
                "Whether somebody new there is the person here with the same e-mail address, when the provider has verified it."
            ),
            ConfigurationKey(
                list: "providers.\(name).domains", \.providers[name].domains, of: .domain,
                "The domains of verified e-mail addresses that may come in; with none given, all."),
            ConfigurationKey(
                "providers.\(name).groups_claim", \.providers[name].groupsClaim, .optionalWord("a claim's name"),
                "The claim that tells a person's groups, in the ID token or else from UserInfo, such as roles or "
                    + "realm_access.roles; none for a provider whose groups mean nothing here.",
                defaultValue: "groups where verify.enabled is true, else none"),
        ]
    }

    private static func transport(_ name: String) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                list: "providers.\(name).scopes", \.providers[name].scopes, of: .word,
                "What is asked for, instead of openid, email and profile (for Apple: name)."),
            ConfigurationKey(
                "providers.\(name).response_mode", \.providers[name].responseMode, .responseMode,
                "How the answer comes: query or form_post; none leaves it to the provider.", defaultValue: "none"),
            ConfigurationKey(
                list: "providers.\(name).parameters", \.providers[name].parameters, of: .parameter,
                "Further parameters of the request, such as prompt=select_account."),
            ConfigurationKey(
                "providers.\(name).callback", \.providers[name].callback, .optionalWord("a path"),
                "The path below the dialect's prefix that the provider sends browsers back to.",
                defaultValue: "/auth/oauth/callback for the only provider, else /auth/oauth/ID/callback"),
            ConfigurationKey(
                "providers.\(name).ca_file", \.providers[name].authorityFile, .optionalPath,
                "Authorities, PEM, that its certificate is judged by beside the system's."),
            ConfigurationKey(
                "providers.\(name).timeout", \.providers[name].timeout, .duration(.seconds(1)...(.seconds(60))),
                "The longest that one request to it may take."),
            ConfigurationKey(
                "providers.\(name).clock_skew", \.providers[name].clockSkew, .duration(.zero...(.seconds(600))),
                "How much its clock may differ from this one."),
        ]
    }
}
