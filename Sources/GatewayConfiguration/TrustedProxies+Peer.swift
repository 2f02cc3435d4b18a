import GatewayCore
package import HTTPServer

extension TrustedProxies {
    /// Whether the peer of a connection is a proxy.
    package func trusts(_ peer: PeerAddress) -> Bool { trusts(peer.ip) }
}
