import HTTPServer
import Wire

extension TokenRoutes {
    /// What there is for a client that knows OAuth. Endpoints that speak otherwise, such as the dialect's own sign-in, are
    /// not in it.
    ///
    /// The two empty lists are there on purpose, although RFC 8414 §3.2 would leave them out: the first is required by §2,
    /// and the second stands for `authorization_code` and `implicit` when it is missing, which would be untrue.
    ///
    /// Source: RFC 8414 §2; RFC 8252 §7.3.
    func metadata(of address: String) -> ServerResponse {
        let methods: [JSONValue] = ["client_secret_basic", "client_secret_post"]
        var members: [JSONValue.Member] = [
            .init("issuer", .string(address)),
            .init("response_types_supported", .array([])),
            .init("grant_types_supported", .array([])),
            .init("revocation_endpoint", .string(address + Self.revocation)),
            .init(
                "revocation_endpoint_auth_methods_supported", .array(clients.isEmpty ? ["none"] : ["none"] + methods)),
        ]
        if let keysPath { members.append(.init("jwks_uri", .string(address + keysPath))) }
        if !clients.isEmpty {
            members += [
                .init("introspection_endpoint", .string(address + Self.introspection)),
                .init("introspection_endpoint_auth_methods_supported", .array(methods)),
            ]
        }
        // latchd's own: the metadata say nothing of redirects.
        if allowsLoopbackRedirects { members.append(.init("loopback_redirects_supported", true)) }
        return ServerResponse(
            status: .ok, headers: ["Content-Type": JSON.mediaType, "Cache-Control": "max-age=300"],
            body: JSONValue.object(members).encoded())
    }

    /// Where the metadata of an issuer stands: the well-known part goes between the host and the issuer's own path.
    ///
    /// Source: RFC 8414 §3.1.
    static func wellKnown(of address: String) -> String {
        let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let path = parts.count > 3 && !parts[3].isEmpty ? "/" + parts[3] : ""
        return "/.well-known/oauth-authorization-server" + path
    }
}
