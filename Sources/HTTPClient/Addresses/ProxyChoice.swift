/// The rule that determines which proxy, if any, to use for an address.
///
/// Source: curl(1) "ENVIRONMENT" for the variables. A loopback address is never requested through the environment's
/// proxy.
struct ProxyChoice: Sendable {
    private enum Rule {
        case always(ProxyAddress?)
        case environment([String: String])
    }

    private let rule: Rule

    /// Creates a rule from the configured proxy (`""` for none) or, if it is nil, from the variables of the
    /// environment.
    init(configured: String?, environment: [String: String]) throws(TransportError) {
        guard let configured else {
            rule = .environment(environment)
            return
        }
        rule = .always(configured.isEmpty ? nil : try ProxyAddress(configured))
    }

    /// Returns the proxy for `address`, or nil for a direct connection.
    func proxy(for address: RequestAddress) throws(TransportError) -> ProxyAddress? {
        switch rule {
        case .always(let proxy): return proxy
        case .environment(let variables): return try Self.proxy(for: address, variables)
        }
    }

    private static func proxy(
        for address: RequestAddress, _ variables: [String: String]
    ) throws(TransportError) -> ProxyAddress? {
        // `HTTP_PROXY` in upper case is ignored on purpose: in a CGI program, it contains the `Proxy` header field of
        // the request.
        let names = address.scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        let candidates = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { variables[$0] }
        guard let text = candidates.first, !text.isEmpty, !isLoopback(address.host) else { return nil }
        let exceptions = variables["no_proxy"] ?? variables["NO_PROXY"] ?? ""
        guard !isExcepted(address.host, by: exceptions) else { return nil }
        return try ProxyAddress(text)
    }

    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || IPv4(host)?.isLoopback == true
    }

    /// Returns whether `host` matches `exceptions`: names, addresses and IPv4 networks, separated by commas or spaces.
    ///
    /// A name matches itself and all its subdomains. `*` matches every host.
    static func isExcepted(_ host: String, by exceptions: String) -> Bool {
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return exceptions.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
            if entry == "*" { return true }
            if let address = IPv4(bare) { return address.isInside(entry) }
            var name = entry.hasPrefix("[") ? entry.dropFirst().prefix { $0 != "]" } : entry
            while name.hasPrefix(".") { name = name.dropFirst() }
            return !name.isEmpty && (bare == name || bare.hasSuffix("." + name))
        }
    }
}

/// An IPv4 address, with the operations that choosing a proxy needs.
private struct IPv4 {
    private let value: UInt32

    var isLoopback: Bool { value >> 24 == 127 }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { UInt8($0) }
        guard parts.count == 4, bytes.count == 4 else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns whether `network` is this address, or a network `a.b.c.d/n` that contains it.
    func isInside(_ network: Substring) -> Bool {
        let parts = network.split(separator: "/")
        guard let base = parts.first.flatMap({ IPv4($0) }) else { return false }
        guard parts.count == 2 else { return parts.count == 1 && base.value == value }
        guard let bits = UInt32(parts[1]), bits <= 32 else { return false }
        return (base.value ^ value) >> (32 - bits) == 0
    }
}
