package import GatewayCore
import HTTPMessages
package import HTTPServer

extension TrustedProxies {
    /// Returns the address of the client that sent a request; see ``TrustedProxies/client(behind:forwardedFor:)``.
    package func client(of request: ServerRequest) -> ClientAddress {
        client(behind: request.peer.ip, forwardedFor: request.headers.values("X-Forwarded-For"))
    }
}
