import GatewayCore
import HTTPMessages
package import HTTPServer

/// Refuses the requests of banned addresses, before every route and before a body is read.
package struct BanCheck: Sendable {
    private let bans: BanStore
    private let proxies: TrustedProxies
    private let metrics: Metrics

    /// Creates the check of a gateway.
    package init(_ services: GatewayServices) {
        bans = services.bans
        proxies = services.proxies
        metrics = services.metrics
    }

    /// Returns the refusal of a request. Nil when its client is not banned.
    package func response(to request: ServerRequest) -> ServerResponse? {
        guard bans.contains(proxies.client(of: request)) else { return nil }
        metrics.banned()
        return ServerResponse(
            status: .forbidden,
            headers: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: Array("Requests from your address are refused. Ask the operator of this server.\n".utf8))
    }
}
