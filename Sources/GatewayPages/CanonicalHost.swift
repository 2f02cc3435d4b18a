import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// The host that serves the pages: that of the configured address, which no backend shares.
///
/// Pages with a person's devices or an administrator's controls are served only there. On a protected host they would
/// share an origin with the backend. Scripts of the backend could then read the pages and submit their forms, with the
/// person's cookie and every form token. The rules do not reveal which hosts are protected, because a rule can apply to
/// every host. All hosts except the configured one are therefore treated as untrusted. Without a configured address,
/// every host counts as the own one, and nothing can be protected.
///
/// Source: RFC 6454 §3.2; OWASP Cross-Site Request Forgery Prevention Cheat Sheet, "XSS can defeat all CSRF
/// mitigations".
package struct CanonicalHost: Sendable {
    /// The relation of a request's host to the pages.
    enum Place: Equatable {
        /// The host of the pages.
        case own
        /// Another host that the configuration knows. A browser can be redirected from it to the host of the pages.
        case known
        /// A host that is not configured, or one that could not be parsed. A redirect from there could loop forever.
        case unknown
    }

    private let address: PublicAddress
    private let check: HostCheck
    private let hosts: ReturnHosts
    private let cookieDomain: String?

    init(_ services: GatewayServices) {
        address = services.address
        check = services.hostCheck
        hosts = services.returnHosts
        cookieDomain = services.settings.verify.cookieDomain
    }

    /// Returns the relation of a request's host to the pages.
    func place(of request: ServerRequest) -> Place {
        guard address.configured != nil else { return .own }
        guard let host = host(of: request), let own = address.host else { return .unknown }
        if host == own, !isOtherKnownHost(request.headers["Host"]) { return .own }
        return host.name != own.name && hosts.allows(host, scheme) ? .known : .unknown
    }

    /// Whether the session cookie of the pages is valid for a request's host too, so that one sign-in is enough for
    /// both.
    func signsIn(_ request: ServerRequest) -> Bool {
        guard let cookieDomain else { return false }
        return host(of: request)?.isWithin(cookieDomain) == true
    }

    /// Returns the absolute address of a path on the host of the pages.
    func link(_ path: String) -> String { address.link(path) }

    /// Returns the absolute address of a path on a request's host, for a browser that is redirected to the host of the
    /// pages and must return. Nil when the host cannot be parsed.
    func back(_ path: String, to request: ServerRequest) -> String? {
        host(of: request).map { "\(scheme)://\($0)\(path)" }
    }

    private var scheme: String { check.scheme }

    private func host(of request: ServerRequest) -> AccessHost? { check.host(of: request) }

    /// Whether the `Host` field names a different host that the rules know. `Host` is checked as well because a script
    /// can invent `X-Forwarded-Host`, and a proxy that does not change that field may pass `Host` on.
    private func isOtherKnownHost(_ text: String?) -> Bool {
        guard let host = text.flatMap({ AccessHost($0) }) else { return false }
        return host.name != address.host?.name && hosts.allows(host.withoutPort(of: scheme), scheme)
    }
}
