public import Wire

extension HTTPClient {
    /// How one client talks: whom it trusts, as whom it comes, which way it goes.
    ///
    /// One client has one trust: connections made under it are never used under another.
    public struct Configuration: Sendable {
        /// The host that extra headers, client certificate and pin are for; a request to another one gets none of them and
        /// is judged by the authorities, and so is one to that host that is not encrypted while ``homeIsEncrypted``. nil:
        /// whichever host a request names.
        public var homeHost: String?
        /// Whether requests to ``homeHost`` must be encrypted to get what is for it.
        public var homeIsEncrypted = false
        /// Fields added to every request, such as an access proxy's key; never sent to another origin by a redirect.
        public var extraHeaders: HTTPHeaders
        /// Whose word about a server's certificate is trusted.
        public var authorities: CertificateAuthorities
        /// The only certificate to accept, whoever signed it, whatever name and dates it carries; nil asks the
        /// authorities.
        public var pinnedCertificate: CertificateFingerprint?
        /// The certificate to show when a server asks for one; never shown to another origin by a redirect.
        public var clientCertificate: ClientCertificate?
        /// The proxy for every request: `http://`, `socks5://` or `socks5h://` with host and port, and `user:password@`
        /// if it wants one.
        ///
        /// nil honours `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` of the environment, except for addresses
        /// of this machine itself; the empty string uses none.
        public var proxy: String?
        /// The `User-Agent` field.
        public var userAgent: String

        /// Makes a configuration.
        public init(
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
    /// A mirror without values that may be secret: those of extra headers, and a proxy's password.
    public var customMirror: Mirror {
        Mirror(self, children: ["extraHeaders": extraHeaders, "userAgent": userAgent])
    }
}

extension HTTPClient: CustomReflectable {
    /// A mirror of the configuration's own.
    public var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}
