import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer
import OpenIDConnect
import ServerMessages

extension RelateMailRoutes {
    /// The response to `GET /api/discovery`: the features of the server.
    ///
    /// Source: RM-4; docs/protocols/relate-mail.md, Discovery.
    package var discovery: ServerResponse {
        let isEnabled = services.settings.relateMailClientID != nil
        let features = settings.features.filter { $0 != "oidc" } + (isEnabled ? ["oidc"] : [])
        return RelateMailResponses.shared(RelateMailDiscovery(oidcEnabled: isEnabled, features: features), for: 60)
    }

    /// The response to `GET /config/config.json`: how apps sign people in at the identity provider. Its members are
    /// empty when apps cannot sign in there.
    ///
    /// Source: RM-4; docs/protocols/relate-mail.md, Sign-in configuration.
    package var configuration: ServerResponse {
        var message = RelateMailConfiguration()
        if let provider = services.settings.relateMailProvider, let client = services.settings.relateMailClientID {
            message.oidcAuthority = provider.settings.issuer
            message.oidcClientId = client
            message.oidcRedirectUri = settings.redirect ?? ""
            message.oidcScope = settings.scopes.joined(separator: " ")
        }
        return RelateMailResponses.shared(message, for: 300)
    }

    /// Returns how mail programs connect to the mail servers.
    func connections(of person: Person, keyCount: Int) -> RelateMailConnectionInfo {
        func service(_ name: String, _ server: RelateMailSettings.MailServer) -> RelateMailConnectionInfo.Service {
            RelateMailConnectionInfo.Service(
                server: server.host ?? ownHost, port: server.port, securePort: server.securePort,
                isEnabled: settings.features.contains(name))
        }
        return RelateMailConnectionInfo(
            smtp: service("smtp", settings.smtp), pop3: service("pop3", settings.pop3),
            imap: service("imap", settings.imap), username: person.email, activeKeyCount: keyCount)
    }

    /// This server's host name in browsers, without a port.
    private var ownHost: String {
        let address = services.settings.publicURL ?? ""
        let authority = address.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" }
        if authority.hasPrefix("[") { return String(authority.prefix { $0 != "]" }) + "]" }
        return authority.isEmpty ? "localhost" : String(authority.prefix { $0 != ":" })
    }
}
