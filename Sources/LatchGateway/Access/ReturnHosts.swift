/// The hosts that a browser may be sent back to once its sign-in is done.
///
/// This server's own, as it is configured; those that an access rule names, a port only where the rule has it; and those below
/// the domain whose hosts share the cookie, without a port.
struct ReturnHosts: Sendable {
    private let own: AccessHost?
    private let rules: AccessRules
    private let cookieDomain: String?

    init(own: AccessHost?, rules: AccessRules, cookieDomain: String?) {
        self.own = own
        self.rules = rules
        self.cookieDomain = cookieDomain
    }

    /// Whether a browser may be sent to a host.
    func allows(_ host: AccessHost) -> Bool {
        host == own || rules.name(host) || host.port == nil && cookieDomain.map(host.isWithin) == true
    }
}
