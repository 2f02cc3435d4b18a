import OpenIDConnect

extension ConfigurationKey {
    static let relateMail = general + provider + mail

    private static let general = [
        ConfigurationKey(
            "dialects.relate-mail.enabled", \.settings.relateMail.isEnabled, .boolean,
            "Whether clients of Relate Mail can sign in."),
        ConfigurationKey(
            "dialects.relate-mail.prefix", \.settings.relateMail.prefix, .prefix,
            "What stands before the paths of the Relate Mail dialect."),
        ConfigurationKey(
            list: "dialects.relate-mail.features", \.settings.relateMail.features, of: .word,
            "What apps are told that the server has; smtp, pop3 and imap are the mail servers that are there."),
        ConfigurationKey(
            "dialects.relate-mail.maximum_keys", \.settings.relateMail.maximumKeys, .number(1...100_000),
            "How many keys of programs a person may have."),
        ConfigurationKey(
            "dialects.relate-mail.key_lifetime", \.settings.relateMail.keyLifetime,
            .optionalDuration(.seconds(60)...(.seconds(86_400 * 3_650))),
            "How long a key of a program lives at most; unset, until it is revoked."),
    ]

    private static let provider = [
        ConfigurationKey(
            "dialects.relate-mail.provider", \.settings.relateMail.provider, .optionalWord("a provider's id"),
            "The identity provider that apps sign in at.", defaultValue: "the only one"),
        ConfigurationKey(
            "dialects.relate-mail.client_id", \.settings.relateMail.clientID, .optionalWord("a word"),
            "What that provider calls the apps: a public client, which has no secret.",
            defaultValue: "this server's own, when it has no secret either"),
        ConfigurationKey(
            list: "dialects.relate-mail.audience", \.settings.relateMail.audiences, of: .word,
            "Whom a token must be meant for (aud) to open anything; any alone takes every token of the provider, those of "
                + "other servers too.", defaultValue: "the apps' client_id"),
        ConfigurationKey(
            "dialects.relate-mail.tokens", \.settings.relateMail.tokenKind,
            .choice(AccessTokenExpectation.Kind.allCases.map { ($0.rawValue, $0) }),
            "Which token of the provider apps bring: access, or id where its access tokens are not JWTs."),
        ConfigurationKey(
            "dialects.relate-mail.redirect", \.settings.relateMail.redirect, .optionalWord("an address"),
            "Where the provider sends the app in the browser back to."),
        ConfigurationKey(
            list: "dialects.relate-mail.scopes", \.settings.relateMail.scopes, of: .word,
            "What apps ask the provider for."),
    ]

    private static let mail =
        server(
            "smtp", "mail is sent through", \.settings.relateMail.smtp.host, \.settings.relateMail.smtp.port,
            \.settings.relateMail.smtp.securePort)
        + server(
            "pop3", "mail is fetched from", \.settings.relateMail.pop3.host, \.settings.relateMail.pop3.port,
            \.settings.relateMail.pop3.securePort)
        + server(
            "imap", "mail is read at", \.settings.relateMail.imap.host, \.settings.relateMail.imap.port,
            \.settings.relateMail.imap.securePort)

    private static func server(
        _ name: String, _ use: String, _ host: any WritableKeyPath<GatewayConfiguration, String?> & Sendable,
        _ port: any WritableKeyPath<GatewayConfiguration, Int> & Sendable,
        _ securePort: any WritableKeyPath<GatewayConfiguration, Int> & Sendable
    ) -> [ConfigurationKey] {
        [
            ConfigurationKey(
                "dialects.relate-mail.\(name).server", host, .optionalWord("a name"),
                "The server that \(use), as programs are told.", defaultValue: "the host of public_url"),
            ConfigurationKey(
                "dialects.relate-mail.\(name).port", port, .number(1...65_535),
                "Its port where encryption is asked for after connecting."),
            ConfigurationKey(
                "dialects.relate-mail.\(name).secure_port", securePort,
                .number(1...65_535), "Its port with encryption from the beginning."),
        ]
    }
}
