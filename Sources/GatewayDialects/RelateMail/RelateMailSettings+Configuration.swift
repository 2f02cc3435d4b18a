package import GatewayConfiguration
import OpenIDConnect

extension RelateMailSettings {
    package static let configurationKeys = general + provider + mail

    private static let general = [
        ConfigurationKey(
            "dialects.relate-mail.enabled", \.settings.relateMail.isEnabled, as: .boolean,
            summary: "Whether clients of Relate Mail can sign in."),
        ConfigurationKey(
            "dialects.relate-mail.prefix", \.settings.relateMail.prefix, as: .prefix,
            summary: "The path prefix of the Relate Mail dialect."),
        ConfigurationKey(
            list: "dialects.relate-mail.features", \.settings.relateMail.features, of: .word,
            summary: "The features that the server reports to apps; smtp, pop3 and imap stand for the available mail "
                + "servers."),
        ConfigurationKey(
            "dialects.relate-mail.maximum_keys", \.settings.relateMail.maximumKeys, as: .number(1...100_000),
            summary: "The maximum number of keys of programs per person."),
        ConfigurationKey(
            "dialects.relate-mail.key_lifetime", \.settings.relateMail.keyLifetime,
            as: .optionalDuration(.seconds(60)...(.seconds(86_400 * 3_650))),
            summary: "The maximum lifetime of a key of a program. If it is not set, keys are valid until they are "
                + "revoked."),
    ]

    private static let provider = [
        ConfigurationKey(
            "dialects.relate-mail.provider", \.settings.relateMail.provider, as: .optionalText("a provider's id"),
            summary: "The identity provider where apps sign in.", defaultValue: "the only one"),
        ConfigurationKey(
            "dialects.relate-mail.client_id", \.settings.relateMail.clientID, as: .optionalText("a word"),
            summary: "The client id of the apps at that provider: a public client, which has no secret.",
            defaultValue: "this server's own, if it has no secret either"),
        ConfigurationKey(
            list: "dialects.relate-mail.audience", \.settings.relateMail.audiences, of: .word,
            summary: "The audience (aud) that a token must have. The single value any accepts every token of the "
                + "provider, including those for other servers.", defaultValue: "the apps' client_id"),
        ConfigurationKey(
            "dialects.relate-mail.tokens", \.settings.relateMail.tokenKind,
            as: .choice(AccessTokenExpectation.Kind.allCases.map { ($0.rawValue, $0) }),
            summary: "Which token of the provider apps send: access, or id if its access tokens are not JWTs."),
        ConfigurationKey(
            "dialects.relate-mail.redirect", \.settings.relateMail.redirect, as: .optionalText("an address"),
            summary: "The address to which the provider redirects the app in the browser."),
        ConfigurationKey(
            list: "dialects.relate-mail.scopes", \.settings.relateMail.scopes, of: .word,
            summary: "The scopes that apps request from the provider."),
    ]

    private static let mail =
        server(
            "smtp", use: "for sending mail", host: \.settings.relateMail.smtp.host,
            port: \.settings.relateMail.smtp.port, securePort: \.settings.relateMail.smtp.securePort)
        + server(
            "pop3", use: "for fetching mail", host: \.settings.relateMail.pop3.host,
            port: \.settings.relateMail.pop3.port, securePort: \.settings.relateMail.pop3.securePort)
        + server(
            "imap", use: "for reading mail", host: \.settings.relateMail.imap.host,
            port: \.settings.relateMail.imap.port, securePort: \.settings.relateMail.imap.securePort)

    private static func server(
        _ name: String, use: String, host: any WritableKeyPath<DaemonConfiguration, String?> & Sendable,
        port: any WritableKeyPath<DaemonConfiguration, Int> & Sendable,
        securePort: any WritableKeyPath<DaemonConfiguration, Int> & Sendable
    ) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                "dialects.relate-mail.\(name).server", host, as: .optionalText("a name"),
                summary: "The server \(use), as reported to programs.", defaultValue: "the host of public_url"),
            ConfigurationKey(
                "dialects.relate-mail.\(name).port", port, as: .number(1...65_535),
                summary: "Its port for connections that start encryption after connecting."),
            ConfigurationKey(
                "dialects.relate-mail.\(name).secure_port", securePort,
                as: .number(1...65_535), summary: "Its port for connections that are encrypted from the start."),
        ]
    }

    package static let configurationRules = [
        ConfigurationRule(
            keys: ["dialects.relate-mail.provider"],
            problem: "dialects.relate-mail.provider is not an enabled identity provider",
            remedy: "set it to the id of one in providers, or remove it if there is only one"
        ) { $0.settings.relateMail.provider == nil || $0.settings.relateMailProvider != nil },
        ConfigurationRule(
            keys: ["dialects.relate-mail.client_id"],
            problem: "dialects.relate-mail.client_id is set, but its identity provider is not",
            remedy: "set dialects.relate-mail.provider"
        ) { configuration in
            let relateMail = configuration.settings.relateMail
            return relateMail.clientID == nil || relateMail.provider != nil
                || configuration.settings.relateMailProvider != nil
        },
        ConfigurationRule(
            keys: ["dialects.relate-mail.audience"],
            problem: "dialects.relate-mail.audience contains any and other values",
            remedy: "remove any, or the others"
        ) { configuration in
            let audiences = configuration.settings.relateMail.audiences
            return audiences.count < 2 || !audiences.contains(RelateMailSettings.anyAudience)
        },
    ]

    package func prefix(in settings: GatewaySettings) -> String { prefix }

    package func signInPath(in settings: GatewaySettings) -> String? { settings.providers.isEmpty ? nil : prefix }

    package var usesAPIKeys: Bool { true }
}
