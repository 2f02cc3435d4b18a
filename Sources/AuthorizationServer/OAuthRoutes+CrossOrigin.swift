package import GatewayHTTP
import HTTPMessages
package import HTTPServer
import OpenIDConnect

/// Requests of applications that run in a browser, from pages of other origins.
///
/// These endpoints read no cookie, so a page gets nothing from them that a program elsewhere would not get with the same
/// code, token or secret. Browsers send no credentials of their own with such a request, because the response allows
/// every origin.
///
/// Source: Fetch §3.3 and §3.3.6; RFC 9449 §8.
extension OAuthRoutes {
    /// The endpoints that such an application uses besides the metadata, and their methods.
    static let crossOriginEndpoints: [(path: String, methods: [HTTPMethod])] = [
        (token, [.post]), (userInfo, [.get, .post]), (revocation, [.post]), (registration, [.post]),
        (pushed, [.post]),
    ]

    /// The endpoints that only programs and servers use are not for pages, and those for applications that run in a
    /// browser are for their scripts. The pages for people check their forms themselves, and applications send browsers
    /// to them with forms. In a frame they ask whether somebody is signed in, and sign the browser out; no page is
    /// shown there.
    package func siteScope(of route: Router.Route) -> SiteCheck.Scope {
        switch route.pattern.dropFirst(prefix.count) {
        case Self.authorization, Self.endSession: .documents
        case Self.device: .forms
        case Self.token, Self.userInfo, Self.revocation, Self.registration, Self.pushed: .scripts
        // Public documents, which count for nothing.
        case Self.keySet: .everything
        default: route.pattern.hasPrefix(prefix + "/") ? .pages : .everything
        }
    }

    /// Adds an endpoint that pages of every origin may call, and the response to the question of browsers whether they
    /// may.
    ///
    /// `countsClients` is whether the handler counts the request itself, by ``client(of:_:)``.
    func addCrossOrigin(
        _ path: String, countsClients: Bool = false, to router: inout Router,
        handler: @escaping @Sendable (Self, ServerRequest) async throws -> ServerResponse
    ) {
        let methods = Self.crossOriginEndpoints.first { $0.path == path }?.methods ?? []
        for method in methods {
            router.on(method, prefix + path) { request in
                let response = await response(to: request) {
                    if !countsClients, let refusal = limited(request) { return refusal }
                    return try await handler(self, request)
                }
                return readable(response, at: request.path)
            }
        }
        let preflight = ServerResponse(
            status: .noContent,
            headers: [
                "Allow": (methods + [.options]).map(\.rawValue).joined(separator: ", "),
                "Access-Control-Allow-Origin": "*",
                "Access-Control-Allow-Methods": methods.map(\.rawValue).joined(separator: ", "),
                // The wildcard does not include Authorization. Swagger UI sends X-Requested-With, and others send more.
                "Access-Control-Allow-Headers": "Authorization, *",
                "Access-Control-Max-Age": "7200",
            ])
        router.on(.options, prefix + path, synchronousHandler: { _ in preflight }, handler: { _ in preflight })
    }

    /// Returns a response that scripts of every origin may read, if its endpoint is for them.
    func readable(_ response: ServerResponse, at path: String) -> ServerResponse {
        guard Self.crossOriginEndpoints.contains(where: { prefix + $0.path == path }) else { return response }
        var response = response
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Expose-Headers"] = "\(DPoPProof.nonceField), WWW-Authenticate, Retry-After"
        return response
    }
}
