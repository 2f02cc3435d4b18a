import HTTPClient
import HTTPMessages

/// The settings of connections to one server: trusted certificates, client certificate, proxy and extra header fields.
///
/// The names of extra header fields and the paths of certificates are stored with the account. The values of extra
/// header fields, the passphrase of a certificate's key and a proxy's password are secrets and go to the secret store.
public struct ConnectionOptions: Sendable, CustomStringConvertible, CustomReflectable {
    /// The certificate authorities that are trusted to verify the server's certificate.
    public var authorities: CertificateAuthorities
    /// The fingerprint of the only certificate to accept, after a person compared and confirmed it. Nil when the
    /// authorities decide.
    public var pinnedCertificate: CertificateFingerprint?
    /// The client certificate to present to the server.
    public var clientCertificate: ClientCertificate?
    /// The address of the proxy. Nil uses the proxy of the environment variables, the empty string uses none.
    public var proxy: String?
    /// Header fields added to every request to this server, such as the key of an access proxy.
    public var extraHeaders: HTTPHeaders

    /// Makes options. Without arguments, they are for a server with a certificate from a public authority.
    public init(
        authorities: CertificateAuthorities = .system, pinnedCertificate: CertificateFingerprint? = nil,
        clientCertificate: ClientCertificate? = nil, proxy: String? = nil, extraHeaders: HTTPHeaders = [:]
    ) {
        self.authorities = authorities
        self.pinnedCertificate = pinnedCertificate
        self.clientCertificate = clientCertificate
        self.proxy = proxy
        self.extraHeaders = extraHeaders
    }

    /// The options that are set, without any value that may be secret.
    public var description: String {
        var parts: [String] = []
        if authorities != .system { parts.append("custom authorities") }
        if let pinnedCertificate { parts.append("pinned \(pinnedCertificate)") }
        if clientCertificate != nil { parts.append("client certificate") }
        if let proxy { parts.append(proxy.isEmpty ? "no proxy" : "proxy") }
        parts += extraHeaders.fields.map { "header \($0.name)" }
        return parts.isEmpty ? "defaults" : parts.joined(separator: ", ")
    }

    /// A mirror of the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["options": description]) }

    /// Returns an HTTP client with these options for the host of `home`. Other hosts, such as an identity provider's,
    /// receive neither the extra header fields nor the client certificate. Their certificates are verified by the
    /// authorities.
    func client(userAgent: String, home: ServerAddress) throws(LatchError) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            extraHeaders: extraHeaders, authorities: authorities, pinnedCertificate: pinnedCertificate,
            clientCertificate: clientCertificate, proxy: proxy, userAgent: userAgent)
        configuration.serverHost = home.host.contains(":") ? "[\(home.host)]" : home.host
        configuration.homeIsEncrypted = home.isEncrypted
        do throws(TransportError) {
            return try HTTPClient(configuration)
        } catch {
            // Only the file with the certificate authorities is reported with this code.
            throw error.code == .file
                ? LatchError(.authoritiesUnreadable, error.message, cause: error) : LatchError(error)
        }
    }
}
