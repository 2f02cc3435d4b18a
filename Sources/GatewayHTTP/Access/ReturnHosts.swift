package import GatewayConfiguration
package import GatewayCore

/// The hosts that a browser may be redirected to after its sign-in.
///
/// These are the server's own host as configured, hosts that an access rule names, and hosts below the domain of the
/// shared cookie. A host of a rule may have a port only if the rule contains it; a host below the domain may not have
/// one. A server with TLS does not redirect to a page without TLS, because the cookie is not sent there and an
/// eavesdropper learns the address.
package struct ReturnHosts: Sendable {
    private let own: AccessHost?
    private let isSecure: Bool
    private let rules: AccessRules
    private let cookieDomain: String?

    package init(own: AccessHost?, isSecure: Bool, rules: AccessRules, cookieDomain: String?) {
        self.own = own
        self.isSecure = isSecure
        self.rules = rules
        self.cookieDomain = cookieDomain
    }

    /// Whether a browser may be redirected to a host with `https` or `http`.
    package func allows(_ host: AccessHost, _ scheme: String) -> Bool {
        contains(host, scheme)
            || (scheme == "https" || !isSecure) && host.port == nil && cookieDomain.map(host.isWithin) == true
    }

    /// Whether a host with `https` or `http` is the server's own or one that an access rule names. A host that only
    /// shares the cookie is neither.
    package func contains(_ host: AccessHost, _ scheme: String) -> Bool {
        (scheme == "https" || !isSecure) && (host == own || rules.name(host, scheme))
    }
}
