import GatewayCore

/// A host that belongs to this server, as the redirect of a client may name it.
package enum OwnHost: Sendable {
    /// The host of `public_url`, with any port.
    case server
    /// A host that an access rule protects, or that gets the session cookie.
    case protected
}

extension GatewaySettings {
    /// Returns which host of this server a redirect leads to.
    ///
    /// A form that a browser posts there comes from the same site, so a client that nobody has checked could make it do
    /// what the person did not ask for. Every way in which a client gets redirects asks this function: clients that
    /// register themselves are refused, and administrators are warned of the server's own host.
    ///
    /// - Parameter address: An address that `AllowedRedirects.problem(with:acceptsLocalhost:)` accepts.
    /// - Returns: The kind of host. Nil for another host, for the address of an app, and for this machine, whose programs
    ///   a person runs there.
    ///
    /// Source: RFC 9700 §4.1.1; RFC 6265 §8.5, because cookies are shared by all ports of a host.
    package func ownHost(ofRedirect address: String) -> OwnHost? {
        guard let scheme = ["https", "http"].first(where: { address.hasPrefix($0 + "://") }) else { return nil }
        let authority = address.dropFirst(scheme.utf8.count + 3).prefix { !"/?".contains($0) }
        guard let host = AccessHost(authority), !host.isLoopback else { return nil }
        if host.name == PublicAddress(publicURL, isTLS: false).host?.name { return .server }
        guard verify.isEnabled else { return nil }
        let isNamed = verify.rules.rules.contains { $0.hosts.contains { $0.covers(host, scheme) } }
        return isNamed || verify.cookieDomain.map(host.isWithin) == true ? .protected : nil
    }
}
