public import OpenIDConnect
import Wire

/// How the Relate Mail dialect is served.
///
/// Source: contract of Relate Mail, rules 1, 2 and 7.
public struct RelateMailSettings: Sendable, Equatable {
    /// A mail server that programs are told of.
    public struct MailServer: Sendable, Equatable {
        /// Its name; nil for this server's own.
        public var host: String?
        /// Its port where encryption is asked for after connecting.
        public var port: Int
        /// Its port with encryption from the beginning.
        public var securePort: Int

        /// Makes a server.
        public init(host: String? = nil, port: Int, securePort: Int) {
            self.host = host
            self.port = port
            self.securePort = securePort
        }
    }

    /// Whether it is served at all.
    public var isEnabled = false
    /// What stands before its paths: empty by default, or `/` and text without a `/` at the end.
    public var prefix = ""
    /// The id of the identity provider that apps sign in at; nil for the only one.
    public var provider: String?
    /// What that provider calls the apps, which have no secret; nil for this server's own name there, when it has none either.
    public var clientID: String?
    /// Whom tokens of the provider must be meant for; empty for ``clientID``, and ``anyAudience`` alone for anybody.
    public var audiences: [String] = []
    /// Which of the provider's tokens opens the interface.
    public var tokenKind = AccessTokenExpectation.Kind.access
    /// The redirect address of the app in the browser; empty for none.
    public var redirect: String?
    /// What apps ask the provider for.
    public var scopes = ["openid", "profile", "email"]
    /// What the server is said to have, without `oidc`, which is told by itself.
    public var features = ["smtp", "pop3", "imap", "api-keys", "labels", "filters", "preferences"]
    /// Where mail is sent through.
    public var smtp = MailServer(port: 587, securePort: 465)
    /// Where mail is fetched from.
    public var pop3 = MailServer(port: 110, securePort: 995)
    /// Where mail is read at.
    public var imap = MailServer(port: 143, securePort: 993)
    /// How many keys a person may have.
    public var maximumKeys = 100
    /// The maximum lifetime of a key; nil for keys that are good until they are revoked.
    public var keyLifetime: Duration?

    /// The word for tokens that are meant for anybody.
    public static let anyAudience = "any"

    /// Makes settings of defaults.
    public init() {}
}

extension GatewaySettings {
    /// The provider that apps of Relate Mail sign in at; nil when none is named and there is not exactly one.
    var relateMailProvider: ProviderConfiguration? {
        guard let id = relateMail.provider else { return providers.count == 1 ? providers.first : nil }
        return providers.first { $0.id == id }
    }

    /// What the provider calls the apps; nil when they cannot sign in there.
    var relateMailClientID: String? {
        guard let provider = relateMailProvider else { return nil }
        if let id = relateMail.clientID { return id }
        return provider.settings.authentication == .none ? provider.settings.clientID : nil
    }

    /// What a token of the provider must be; nil when it is not known whom it must be meant for, so that none is taken.
    var relateMailToken: AccessTokenExpectation? {
        if relateMail.audiences == [RelateMailSettings.anyAudience] {
            return AccessTokenExpectation(relateMail.tokenKind, audiences: nil)
        }
        let audiences = relateMail.audiences.isEmpty ? relateMailClientID.map { [$0] } : relateMail.audiences
        return audiences.map { AccessTokenExpectation(relateMail.tokenKind, audiences: $0) }
    }
}
