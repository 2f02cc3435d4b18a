/// Which proxy, if any, stands between this client and an address.
///
/// Source: curl(1) "ENVIRONMENT" for the variables; a loopback address never goes through the environment's proxy.
struct ProxyChoice: Sendable {
    private enum Rule {
        case always(ProxyAddress?)
        case environment([String: String])
    }

    private let rule: Rule

    /// The configuration's proxy (`""` for none) or, if nil, the environment's variables.
    init(configured: String?, environment: [String: String]) throws(TransportError) {
        guard let configured else {
            rule = .environment(environment)
            return
        }
        rule = .always(configured.isEmpty ? nil : try ProxyAddress(configured))
    }

    /// The proxy for `address`; nil goes straight to it.
    func proxy(for address: RequestAddress) throws(TransportError) -> ProxyAddress? {
        switch rule {
        case .always(let proxy): return proxy
        case .environment(let variables): return try Self.proxy(for: address, variables)
        }
    }

    private static func proxy(
        for address: RequestAddress, _ variables: [String: String]
    ) throws(TransportError) -> ProxyAddress? {
        // `HTTP_PROXY` in capitals is left out on purpose: a CGI program's environment holds a request's header there.
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

    /// Whether `exceptions`, names, addresses and IPv4 networks parted by commas or blanks, hold `host`.
    ///
    /// A name stands for itself and everything under it; `*` stands for every host.
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

/// An IPv4 address, as far as choosing a proxy needs it.
private struct IPv4 {
    private let value: UInt32

    var isLoopback: Bool { value >> 24 == 127 }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { UInt8($0) }
        guard parts.count == 4, bytes.count == 4 else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Whether `network` is this address, or a network `a.b.c.d/n` around it.
    func isInside(_ network: Substring) -> Bool {
        let parts = network.split(separator: "/")
        guard let base = parts.first.flatMap({ IPv4($0) }) else { return false }
        guard parts.count == 2 else { return parts.count == 1 && base.value == value }
        guard let bits = UInt32(parts[1]), bits <= 32 else { return false }
        return (base.value ^ value) >> (32 - bits) == 0
    }
}
