/// How one server is connected to: whom to trust, as whom to come, which way to go.
///
/// The names of extra headers and the paths of certificates are kept with the account; values of extra headers, the
/// passphrase of a certificate's key and a proxy's password are secrets and go to the secret store.
public struct ConnectionOptions: Sendable, CustomStringConvertible, CustomReflectable {
    /// Whose word about the server's certificate is trusted.
    public var authorities: CertificateAuthorities
    /// The only certificate to accept, once a person has compared and confirmed it.
    public var pinnedCertificate: CertificateFingerprint?
    /// The certificate to show to the server.
    public var clientCertificate: ClientCertificate?
    /// The proxy; nil honours the environment, the empty string uses none.
    public var proxy: String?
    /// Fields added to every request to this server, such as an access proxy's key.
    public var extraHeaders: HTTPHeaders

    /// Makes options; without arguments, those of a server with a certificate that everybody trusts.
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

    /// What is set, without any value that may be secret.
    public var description: String {
        var parts: [String] = []
        if authorities != .system { parts.append("own authorities") }
        if let pinnedCertificate { parts.append("pinned \(pinnedCertificate)") }
        if clientCertificate != nil { parts.append("client certificate") }
        if let proxy { parts.append(proxy.isEmpty ? "no proxy" : "proxy") }
        parts += extraHeaders.fields.map { "header \($0.name)" }
        return parts.isEmpty ? "defaults" : parts.joined(separator: ", ")
    }

    /// A mirror of the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["options": description]) }

    /// A client that connects so to the host of `home`; another host, such as an identity provider's, gets neither the extra
    /// headers nor the client certificate, and its own certificate is judged by the authorities.
    func client(userAgent: String, home: ServerAddress) throws(LatchError) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            extraHeaders: extraHeaders, authorities: authorities, pinnedCertificate: pinnedCertificate,
            clientCertificate: clientCertificate, proxy: proxy, userAgent: userAgent)
        configuration.homeHost = home.host.contains(":") ? "[\(home.host)]" : home.host
        configuration.homeIsEncrypted = home.isEncrypted
        do throws(TransportError) {
            return try HTTPClient(configuration)
        } catch {
            // Nothing but the authorities' file is read as a file that may be any.
            throw error.code == .file
                ? LatchError(.authoritiesUnreadable, error.message, cause: error) : LatchError(error)
        }
    }
}
