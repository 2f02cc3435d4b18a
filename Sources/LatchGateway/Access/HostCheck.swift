import HTTPServer
import Wire

/// Checks the `Host` of a request, where the server's own address is configured.
///
/// A page of another site whose name resolves to this machine (DNS rebinding) has the same origin as the server; its requests
/// carry that name in `Host`. So a request is answered only for the server's own name, or for a name that no other site can
/// have. Without a configured address every host is accepted.
///
/// Source: RFC 9110 §7.4 and §15.5.20; RFC 6454 §8.2.
struct HostCheck: Sendable {
    /// Under which other names a route is served.
    enum Scope: Sendable {
        /// Only under the server's own name.
        case own
        /// On protected hosts too.
        case protected
        /// Also under an IP address or a name without a dot, for monitoring.
        case monitoring
        /// Under every name: the route reveals nothing, or checks the caller by itself.
        case anyHost
    }

    /// The scheme of the server's own address.
    let scheme: String
    /// The server's own host; nil where it is not configured.
    private let own: AccessHost?
    /// The server's own host as clients write it in `Host`.
    private let ownText: String?
    private let proxies: TrustedProxies
    private let hosts: ReturnHosts
    private let rules: AccessRules?

    init(_ services: GatewayServices) {
        scheme = services.address.isSecure ? "https" : "http"
        own = services.address.host
        ownText = own?.description
        proxies = services.proxies
        hosts = services.returnHosts
        rules = services.settings.verify.isEnabled ? services.settings.verify.rules : nil
    }

    /// Whether a request may be answered at the host that it came to.
    func allows(_ request: ServerRequest, for scope: Scope) -> Bool {
        guard let own, scope != .anyHost else { return true }
        let texts = request.headers.values("Host")
        let told = told(request)
        if texts.count == 1, texts[0] == ownText, told.isEmpty { return true }
        guard texts.count == 1, let sent = AccessHost(texts[0]) else { return false }
        func isServed(_ host: AccessHost, isTold: Bool = false) -> Bool {
            host.name == own.name || host.isLoopback || scope == .protected && isKnown(host, isTold: isTold)
        }
        guard !told.isEmpty else { return isServed(sent) || scope == .monitoring && Self.isOfNetwork(sent) }
        // A client without a proxy can set X-Forwarded-Host, but its page cannot choose `Host`: the name that a proxy uses for
        // this server must not be a name of the Internet.
        guard told.count == 1, let host = AccessHost(told[0]), isServed(host, isTold: true) else { return false }
        return isServed(sent) || hosts.allows(sent.withoutPort(of: scheme), scheme) || Self.isOfNetwork(sent)
    }

    /// The host that the browser asked for: from a trusted proxy's X-Forwarded-Host, else from `Host`. Some proxies send the
    /// name without the port there, and pass `Host` on with its port.
    func host(of request: ServerRequest) -> AccessHost? {
        let told = told(request)
        let sent = request.headers["Host"].flatMap { AccessHost($0) }
        guard told.count <= 1, var host = told.first.map({ AccessHost($0) }) ?? sent else { return nil }
        if host.port == nil, let sent, sent.name == host.name { host = sent }
        return host.withoutPort(of: scheme)
    }

    private func told(_ request: ServerRequest) -> [String] {
        proxies.trusts(request.peer) ? request.headers.values("X-Forwarded-Host") : []
    }

    /// Whether the host is in the configuration: it is protected, or shares the cookie. Rules that name no host protect each that a
    /// trusted proxy tells, and make none known that stands in `Host` alone: that may be any site's.
    private func isKnown(_ host: AccessHost, isTold: Bool) -> Bool {
        let host = host.withoutPort(of: scheme)
        return hosts.allows(host, scheme)
            || rules.map { (isTold || $0.nameHosts) && $0.protect(host, scheme) } == true
    }

    /// Whether the name is an IP address or has no dot, so that it is not a name of the Internet.
    private static func isOfNetwork(_ host: AccessHost) -> Bool {
        !host.name.contains(".") || host.name.hasPrefix("[") || IPAddress(host.name) != nil
    }
}
