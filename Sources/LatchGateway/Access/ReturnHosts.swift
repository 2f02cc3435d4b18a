/// The hosts that a browser may be sent back to once its sign-in is done.
///
/// This server's own, as it is configured; those that an access rule names, a port only where the rule has it; and those below
/// the domain whose hosts share the cookie, without a port. From a server with TLS nobody is sent to a page without it: the cookie
/// does not go there, and whoever listens learns the address.
struct ReturnHosts: Sendable {
    private let own: AccessHost?
    private let isSecure: Bool
    private let rules: AccessRules
    private let cookieDomain: String?

    init(own: AccessHost?, isSecure: Bool, rules: AccessRules, cookieDomain: String?) {
        self.own = own
        self.isSecure = isSecure
        self.rules = rules
        self.cookieDomain = cookieDomain
    }

    /// Whether a browser may be sent to a host by `https` or `http`.
    func allows(_ host: AccessHost, _ scheme: String) -> Bool {
        guard scheme == "https" || !isSecure else { return false }
        return host == own || rules.name(host, scheme)
            || host.port == nil && cookieDomain.map(host.isWithin) == true
    }
}
