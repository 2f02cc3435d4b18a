import GatewayConfiguration
package import GatewayCore
import HTTPMessages
package import HTTPServer

/// Checks the `Host` field of a request, if the server's own address is configured.
///
/// A page of another site whose name resolves to this machine (DNS rebinding) has the same origin as the server, and
/// its requests carry that name in `Host`. So a request is served only under the server's own name, or under a name
/// that no other site can have. Without a configured address every host is accepted.
///
/// Source: RFC 9110 §7.4 and §15.5.20; RFC 6454 §8.2.
package struct HostCheck: Sendable {
    /// The names under which a route is served.
    package enum Scope: Sendable {
        /// Only under the server's own name.
        case own
        /// Also on protected hosts.
        case protected
        /// Also under an IP address or a name without a dot, for monitoring.
        case monitoring
        /// Under every name: the route reveals nothing, or checks the caller by itself.
        case anyHost
    }

    /// The scheme of the server's own address.
    package let scheme: String
    /// The server's own host; nil when it is not configured.
    private let own: AccessHost?
    /// The server's own host as clients write it in `Host`.
    private let ownText: String?
    private let proxies: TrustedProxies
    private let hosts: ReturnHosts
    private let rules: AccessRules?

    package init(_ services: GatewayServices) {
        scheme = services.address.isSecure ? "https" : "http"
        own = services.address.host
        ownText = own?.description
        proxies = services.proxies
        hosts = services.returnHosts
        rules = services.settings.verify.isEnabled ? services.settings.verify.rules : nil
    }

    /// Whether a request may be served under the host that it was sent to.
    package func allows(_ request: ServerRequest, for scope: Scope) -> Bool {
        guard let own, scope != .anyHost else { return true }
        let texts = request.headers.values("Host")
        let forwarded = forwardedHosts(request)
        if texts.count == 1, texts[0] == ownText, forwarded.isEmpty { return true }
        guard texts.count == 1, let sent = AccessHost(texts[0]) else { return false }
        func isServed(_ host: AccessHost, isForwarded: Bool = false) -> Bool {
            host.name == own.name || host.isLoopback || scope == .protected && isKnown(host, isForwarded: isForwarded)
        }
        guard !forwarded.isEmpty else { return isServed(sent) || scope == .monitoring && Self.isOfNetwork(sent) }
        // A client without a proxy can set X-Forwarded-Host, but a web page cannot choose `Host`. So the name in
        // `Host`, which a proxy uses for this server, must not be a public name of the Internet.
        guard forwarded.count == 1, let host = AccessHost(forwarded[0]), isServed(host, isForwarded: true) else {
            return false
        }
        return isServed(sent) || hosts.allows(sent.withoutPort(of: scheme), scheme) || Self.isOfNetwork(sent)
    }

    /// Returns the host that the browser requested: from X-Forwarded-Host of a trusted proxy, otherwise from `Host`.
    /// Some proxies send X-Forwarded-Host without the port and forward `Host` with its port.
    package func host(of request: ServerRequest) -> AccessHost? {
        let forwarded = forwardedHosts(request)
        let sent = request.headers["Host"].flatMap { AccessHost($0) }
        guard forwarded.count <= 1, var host = forwarded.first.map({ AccessHost($0) }) ?? sent else { return nil }
        if host.port == nil, let sent, sent.name == host.name { host = sent }
        return host.withoutPort(of: scheme)
    }

    private func forwardedHosts(_ request: ServerRequest) -> [String] {
        proxies.trusts(request.peer) ? request.headers.values("X-Forwarded-Host") : []
    }

    /// Whether the configuration contains the host: it is protected, or shares the cookie. Rules that name no hosts
    /// protect every host that a trusted proxy sends. They do not protect a host that is only in `Host`, because that
    /// can be any site's name.
    private func isKnown(_ host: AccessHost, isForwarded: Bool) -> Bool {
        let host = host.withoutPort(of: scheme)
        return hosts.allows(host, scheme)
            || rules.map { (isForwarded || $0.nameHosts) && $0.protect(host, scheme) } == true
    }

    /// Whether the name is an IP address or has no dot, so that it is not a public name of the Internet.
    private static func isOfNetwork(_ host: AccessHost) -> Bool {
        !host.name.contains(".") || host.name.hasPrefix("[") || IPAddress(host.name) != nil
    }
}
