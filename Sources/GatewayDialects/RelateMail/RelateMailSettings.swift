import GatewayConfiguration
import GatewayCore
import HTTPMessages
package import OpenIDConnect

/// Settings of the Relate Mail dialect.
///
/// Source: docs/protocols/relate-mail.md, Discovery, Sign-in configuration and Access tokens.
package struct RelateMailSettings: DialectSettings {
    /// A mail server, as described to mail programs.
    package struct MailServer: Sendable, Equatable {
        /// Its host name; nil for this server's own.
        var host: String?
        /// Its port for connections that begin unencrypted and are then upgraded to TLS.
        var port: Int
        /// Its port for connections with TLS from the beginning.
        var securePort: Int

        /// Creates the description of a mail server.
        package init(host: String? = nil, port: Int, securePort: Int) {
            self.host = host
            self.port = port
            self.securePort = securePort
        }
    }

    /// Whether the dialect is served. Default: false.
    package var isEnabled = false
    /// The path prefix of its routes. Empty, or `/` followed by text without a trailing `/`. Default: empty.
    package var prefix = ""
    /// The id of the identity provider where apps sign in. Nil when only one is configured, which is then used.
    package var provider: String?
    /// The client id of the apps at that provider. The apps have no secret. Nil for this server's own client id, if it
    /// has no secret there either.
    package var clientID: String?
    /// The audiences, one of which a token of the provider must have. Empty for ``clientID``. ``anyAudience`` alone
    /// accepts every audience.
    package var audiences: [String] = []
    /// Which kind of the provider's tokens is accepted. Default: access tokens.
    package var tokenKind = AccessTokenExpectation.Kind.access
    /// The redirect address of the app that runs in the browser; nil for none.
    package var redirect: String?
    /// The scopes that apps request from the provider.
    package var scopes = ["openid", "profile", "email"]
    /// The features of the server in the discovery, without `oidc`, which is added automatically.
    package var features = ["smtp", "pop3", "imap", "api-keys", "labels", "filters", "preferences"]
    /// The server that sends mail.
    var smtp = MailServer(port: 587, securePort: 465)
    /// The POP3 server, from which programs download mail.
    var pop3 = MailServer(port: 110, securePort: 995)
    /// The IMAP server, on which programs read mail.
    package var imap = MailServer(port: 143, securePort: 993)
    /// The maximum number of keys of a person. Default: 100.
    package var maximumKeys = 100
    /// The maximum lifetime of a key. Nil for keys that are valid until they are revoked, which is the default.
    var keyLifetime: Duration?

    /// The value of ``audiences`` that accepts tokens for every audience.
    static let anyAudience = "any"

    /// Creates the default settings.
    package init() {}
}

extension GatewaySettings {
    /// The provider where apps of Relate Mail sign in. Nil when the named provider does not exist, or when none is
    /// named and the number of providers is not one.
    var relateMailProvider: ProviderConfiguration? {
        guard let id = relateMail.provider else { return providers.count == 1 ? providers.first : nil }
        return providers.first { $0.id == id }
    }

    /// The client id of the apps at the provider; nil when they cannot sign in there.
    var relateMailClientID: String? {
        guard let provider = relateMailProvider else { return nil }
        if let id = relateMail.clientID { return id }
        return provider.settings.authentication == .none ? provider.settings.clientID : nil
    }

    /// The requirements for a token of the provider. Nil when the audience is unknown, and then no token is accepted.
    var relateMailToken: AccessTokenExpectation? {
        if relateMail.audiences == [RelateMailSettings.anyAudience] {
            return AccessTokenExpectation(relateMail.tokenKind, audiences: nil)
        }
        let audiences = relateMail.audiences.isEmpty ? relateMailClientID.map { [$0] } : relateMail.audiences
        return audiences.map { AccessTokenExpectation(relateMail.tokenKind, audiences: $0) }
    }
}

extension GatewaySettings {
    /// The settings of the Relate Mail dialect.
    package var relateMail: RelateMailSettings {
        get { self[RelateMailSettings.self] }
        set { self[RelateMailSettings.self] = newValue }
    }
}
