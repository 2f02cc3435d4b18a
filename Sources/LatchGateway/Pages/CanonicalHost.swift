import HTTPServer
import Wire

/// Where the pages are at home: at the configured address, which no backend shares.
///
/// A page with a person's devices or an administrator's means is served there alone. On a protected host it would have one
/// origin with the backend, whose scripts could read it and send its forms, with the person's cookie and every token that
/// stands in a form. Which hosts are protected cannot be told from the rules, as a rule may be about every host: so all but the
/// own one are strange. Without a configured address every host is the own one, and nothing can be protected.
///
/// Source: RFC 6454 §3.2; OWASP Cross-Site Request Forgery Prevention Cheat Sheet, "XSS can defeat all CSRF mitigations".
struct CanonicalHost: Sendable {
    /// What a request's host is to the pages.
    enum Place: Equatable {
        /// Their own.
        case own
        /// One that this server knows by its configuration, from which a browser can be sent home.
        case known
        /// One that it knows nothing of, or one that could not be read. Sent home from there, a browser might come back for ever.
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

    /// What the host of a request is to the pages.
    func place(of request: ServerRequest) -> Place {
        guard address.configured != nil else { return .own }
        guard let host = host(of: request), let own = address.host else { return .unknown }
        if host == own, !isStrange(request.headers["Host"]) { return .own }
        return host.name != own.name && hosts.allows(host, scheme) ? .known : .unknown
    }

    /// Whether the one sign-in at home is the sign-in of a request's host too, by the cookie that they share.
    func signsIn(_ request: ServerRequest) -> Bool {
        guard let cookieDomain else { return false }
        return host(of: request)?.isWithin(cookieDomain) == true
    }

    /// The whole address of a path at home.
    func link(_ path: String) -> String { address.link(path) }

    /// The whole address of a path on the host of a request, for a browser that is sent home and shall come back.
    func back(_ path: String, to request: ServerRequest) -> String? {
        host(of: request).map { "\(scheme)://\($0)\(path)" }
    }

    private var scheme: String { check.scheme }

    private func host(of request: ServerRequest) -> AccessHost? { check.host(of: request) }

    /// Whether `Host` is one of another name that the rules know. A script may invent `X-Forwarded-Host`, and a proxy that
    /// leaves it as it is may hand `Host` on.
    private func isStrange(_ text: String?) -> Bool {
        guard let host = text.flatMap({ AccessHost($0) }) else { return false }
        return host.name != address.host?.name && hosts.allows(host.withoutPort(of: scheme), scheme)
    }
}
