package import HTTPMessages

extension HTTPClient {
    /// The configuration of a client: which servers it trusts, how it identifies itself and which proxy it uses.
    ///
    /// A client uses one configuration for all its connections. Connections are never shared between configurations.
    package struct Configuration: Sendable {
        /// The host to which the extra header fields, the client certificate and the pin apply. A request to another
        /// host does not get them, and its server is verified by the authorities. The same holds for an unencrypted
        /// request to this host while ``homeIsEncrypted`` is true. Nil means the host of each request.
        package var serverHost: String?
        /// Whether requests to ``serverHost`` must be encrypted to get the extra header fields, the client certificate
        /// and the pin. Default: false.
        package var homeIsEncrypted = false
        /// Header fields that are added to every request, such as the key of an access proxy. A redirect never sends
        /// them to another origin.
        package var extraHeaders: HTTPHeaders
        /// The certificate authorities that are trusted.
        package var authorities: CertificateAuthorities
        /// The only accepted certificate, regardless of issuer, name and dates. Nil verifies the certificate by the
        /// authorities.
        package var pinnedCertificate: CertificateFingerprint?
        /// The certificate to present when a server requests one. A redirect never presents it to another origin.
        package var clientCertificate: ClientCertificate?
        /// The proxy for every request: `http://`, `socks5://` or `socks5h://` with host and port, and `user:password@`
        /// if the proxy requires it.
        ///
        /// Nil uses `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` of the environment, except for loopback
        /// addresses. The empty string disables proxies.
        package var proxy: String?
        /// The value of the `User-Agent` field.
        package var userAgent: String

        /// Creates a configuration.
        package init(
            extraHeaders: HTTPHeaders = [:], authorities: CertificateAuthorities = .system,
            pinnedCertificate: CertificateFingerprint? = nil, clientCertificate: ClientCertificate? = nil,
            proxy: String? = nil, userAgent: String = "latchstring"
        ) {
            self.extraHeaders = extraHeaders
            self.authorities = authorities
            self.pinnedCertificate = pinnedCertificate
            self.clientCertificate = clientCertificate
            self.proxy = proxy
            self.userAgent = userAgent
        }
    }
}

extension HTTPClient.Configuration: CustomReflectable {
    /// A mirror without values that may be secret: those of the extra header fields, and the password of a proxy.
    package var customMirror: Mirror {
        Mirror(self, children: ["extraHeaders": extraHeaders, "userAgent": userAgent])
    }
}

extension HTTPClient: CustomReflectable {
    /// A mirror with the configuration.
    package var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}
