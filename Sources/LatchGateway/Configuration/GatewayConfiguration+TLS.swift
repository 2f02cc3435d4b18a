import HTTPServer
import Wire

extension GatewayConfiguration {
    var certificatePath: String? {
        get { tlsPaths.certificate }
        set { tlsPaths.certificate = newValue }
    }

    var keyPath: String? {
        get { tlsPaths.key }
        set { tlsPaths.key = newValue }
    }

    /// Puts together what several keys say: which listener speaks TLS, and who may come without.
    mutating func resolve() {
        resolveRedis()
        resolveIntrospection()
        resolveProviders()
        resolveAccess()
        let hasCertificate = tlsPaths.certificate != nil
        server.listeners = listen.map { $0.listener(hasCertificate: hasCertificate) }
        settings.certificateFiles = tlsPaths.certificate.flatMap { certificate in
            tlsPaths.key.map { CertificateFiles(certificatePath: certificate, keyPath: $0) }
        }
        let proxies = settings.trustedProxies
        server.admitsPlain = { peer in peer.ip?.isLoopback ?? true || proxies.trusts(peer) }
        server.countsConnections = { !proxies.trusts($0) }
        server.strictTransport = strictTransport.map {
            StrictTransport(maximumAge: $0, trustsForwarded: { proxies.trusts($0) })
        }
    }

    /// Whether somebody on the network could come in clear text with no proxy there that is trusted to have kept it.
    var isPlainOnTheNetwork: Bool {
        settings.trustedProxies.networks.isEmpty
            && server.listeners.contains { listener in
                guard case .tcp(let host, _) = listener else { return false }
                return IPAddress(host)?.isLoopback != true
            }
    }

    var speaksTLS: Bool {
        server.listeners.contains { if case .tls = $0 { true } else { false } }
    }
}

/// Where the certificate and its key are; each may be missing while the configuration is read.
struct TLSPaths: Sendable {
    var certificate: String?
    var key: String?
}
