import FoundationEssentials
import HTTPClient
import OpenIDConnect
import ServerMessages

/// The identity provider that a server names, and how people sign in there.
///
/// Source: RM-4, RM-5; docs/protocols/relate-mail.md, Sign-in configuration.
struct RelateMailProvider: Sendable, Hashable {
    /// The issuer identifier of the provider. The provider's own documents must contain the same text, character by
    /// character.
    var issuer: String
    /// The client id of the server's apps at the provider. It is a public client, without a secret.
    var clientID: String
    /// The requested scopes. `openid` is added if it is missing.
    var scopes: [String]

    /// Makes a provider from a server's configuration. Nil when that contains no provider or no client id.
    init?(_ configuration: RelateMailConfiguration) {
        guard !configuration.oidcAuthority.isEmpty, !configuration.oidcClientId.isEmpty else { return nil }
        issuer = configuration.oidcAuthority
        clientID = configuration.oidcClientId
        let scope = configuration.oidcScope.split(whereSeparator: \.isWhitespace).map(String.init)
        let standard = RelateMailConfiguration.standardScope.split(separator: " ").map(String.init)
        scopes = scope.isEmpty ? standard : scope
    }

    /// Why the provider cannot be used, as a sentence. Nil when it can be used.
    ///
    /// A provider without TLS is accepted only on this machine.
    var problem: String? {
        do throws(OpenIDConnectError) {
            try settings.check()
            return nil
        } catch {
            return error.message
        }
    }

    var settings: ProviderSettings {
        ProviderSettings(issuer: issuer, clientID: clientID, authentication: .none, scopes: scopes)
    }

    /// Returns a relying party for a sign-in at the provider, with its HTTP client. The client uses the connection's
    /// proxy and trusts the system's certificate authorities and those that the person added.
    ///
    /// The provider is another host than the server, so it does not receive the server's extra headers or client
    /// certificate, and the pinned certificate does not apply.
    func party(
        _ connection: ConnectionOptions, userAgent: String, now: @escaping @Sendable () -> Date
    ) throws(LatchError) -> (party: RelyingParty, client: HTTPClient) {
        let authorities: CertificateAuthorities =
            switch connection.authorities {
            case .system: .system
            case .systemAnd(let file), .only(let file): .systemAnd(pemFile: file)
            }
        do throws(TransportError) {
            let client = try HTTPClient(
                HTTPClient.Configuration(authorities: authorities, proxy: connection.proxy, userAgent: userAgent))
            return (RelyingParty(settings, client: client, now: now), client)
        } catch {
            throw LatchError(error)
        }
    }
}
