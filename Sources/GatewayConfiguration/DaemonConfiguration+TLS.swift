import GatewayCore
import HTTPMessages
import HTTPServer

extension DaemonConfiguration {
    package var certificatePath: String? {
        get { tlsPaths.certificate }
        set { tlsPaths.certificate = newValue }
    }

    package var keyPath: String? {
        get { tlsPaths.key }
        set { tlsPaths.key = newValue }
    }

    /// Applies settings that depend on several keys, such as which listeners use TLS and which clients may use plain
    /// HTTP.
    mutating func resolve() {
        resolveRedis()
        resolveIntrospection()
        resolveOAuthClients()
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

    /// Whether clients on the network could use plain HTTP although no reverse proxy is trusted to protect it.
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

/// The paths of the certificate and its key. Each can be missing while the configuration is read.
struct TLSPaths: Sendable {
    var certificate: String?
    var key: String?
}
