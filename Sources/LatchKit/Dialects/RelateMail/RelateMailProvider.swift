import FoundationEssentials
import HTTPClient
import OpenIDConnect

/// How people sign in at the identity provider that a server names.
///
/// Source: RM-4, RM-5; contract of Relate Mail, rule 2.
struct RelateMailProvider: Sendable, Hashable {
    /// The provider's name for itself; its own documents must say the same, character by character.
    var issuer: String
    /// What the provider calls the server's apps: a client without a secret.
    var clientID: String
    /// What is asked for; `openid` is added when it is missing.
    var scopes: [String]

    /// Takes what a server tells; nil when it names no provider or no client.
    init?(_ configuration: RelateMailConfiguration) {
        guard !configuration.oidcAuthority.isEmpty, !configuration.oidcClientId.isEmpty else { return nil }
        issuer = configuration.oidcAuthority
        clientID = configuration.oidcClientId
        let scope = configuration.oidcScope.split(whereSeparator: \.isWhitespace).map(String.init)
        let standard = RelateMailConfiguration.standardScope.split(separator: " ").map(String.init)
        scopes = scope.isEmpty ? standard : scope
    }

    /// Why the provider cannot be used, in a sentence; nil when nothing speaks against it.
    ///
    /// Only this machine itself may be a provider without TLS.
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

    /// The provider as a sign-in speaks to it: trusted as the system does and as the person added, by the same proxy.
    ///
    /// It is another host: the server's extra headers, its client certificate and its pinned certificate stay away from it.
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
