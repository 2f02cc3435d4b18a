import HTTPServer
import Wire

/// Which hosts this server answers at, where its own address is configured.
///
/// A page of another site whose name leads to this machine (DNS rebinding) is of one origin with what is served here; its
/// requests have that name in `Host`. So a request is answered where it came to the server's own name, or to one that no other
/// site can have. Without a configured address every host is the own one.
///
/// Source: RFC 9110 §7.4 and §15.5.20; RFC 6454 §8.2.
struct HostCheck: Sendable {
    /// What is asked for, by who may ask for it under another name.
    enum Scope: Sendable {
        /// What belongs to the server's own name.
        case own
        /// What is served on protected hosts too.
        case protected
        /// What a monitor asks for by the machine's address or by a name of its network.
        case monitoring
        /// What tells nobody anything, or asks for proof of its own.
        case anyHost
    }

    /// The scheme of the server's own address.
    let scheme: String
    /// The server's own host; nil where it is not configured.
    private let own: AccessHost?
    /// The same as clients write it in `Host`.
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
        func isServed(_ host: AccessHost) -> Bool {
            host.name == own.name || host.isLoopback || scope == .protected && isKnown(host)
        }
        guard !told.isEmpty else { return isServed(sent) || scope == .monitoring && Self.isOfNetwork(sent) }
        // Who asks directly can invent the field, and not `Host`: a proxy's own name for this server is none of the Internet's.
        guard told.count == 1, let host = AccessHost(told[0]), isServed(host) else { return false }
        return isServed(sent) || hosts.allows(sent.withoutPort(of: scheme), scheme) || Self.isOfNetwork(sent)
    }

    /// The host that the browser asked for, as a trusted proxy tells it, else as the request does. Some tell the name alone,
    /// and hand `Host` on with its port.
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

    /// Whether the configuration knows the host: it is protected, or shares the cookie.
    private func isKnown(_ host: AccessHost) -> Bool {
        let host = host.withoutPort(of: scheme)
        return hosts.allows(host, scheme) || rules?.protect(host, scheme) == true
    }

    /// Whether the name is an address by its number, or one without a dot: no name of the Internet.
    private static func isOfNetwork(_ host: AccessHost) -> Bool {
        !host.name.contains(".") || host.name.hasPrefix("[") || IPAddress(host.name) != nil
    }
}
