import HTTPMessages
package import HTTPServer
import OAuth

extension TokenRoutes {
    /// Returns the metadata of the token endpoints, with the names of RFC 8414 §2; see ``LatchdMetadata``. Endpoints
    /// that are not part of OAuth, such as the dialect's own sign-in, are left out.
    ///
    /// Source: RFC 8414 §2 for the members; RFC 8252 §7.3.
    package func metadata(of address: String) -> ServerResponse {
        let methods: [JSONValue] = ["client_secret_basic", "client_secret_post"]
        var members: [JSONValue.Member] = [
            .init("issuer", .string(address)),
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
        if allowsLoopbackRedirects { members.append(.init(LatchdMetadata.loopbackRedirects, true)) }
        if !proofAlgorithms.isEmpty {
            members.append(.init("dpop_signing_alg_values_supported", .array(proofAlgorithms.map { .string($0) })))
        }
        return ServerResponse(
            status: .ok, headers: ["Content-Type": JSON.mediaType, "Cache-Control": "max-age=300"],
            body: JSONValue.object(members).encoded())
    }
}
