import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer
import OAuth

extension ForwardAuthRoutes {
    /// The path of the metadata of protected resources, on each protected host.
    package static let wellKnown = "/.well-known/oauth-protected-resource"

    /// Returns the metadata of the address after the well-known part: the server where people sign in to it. A native
    /// app needs it to find the sign-in.
    ///
    /// `authorization_servers` is there for any client of OAuth when the authorization server is on. `latchd_server` is
    /// specific to latchd: it names the server of a dialect, whose sign-in only its own clients can use.
    ///
    /// The metadata is requested on the protected host, through its proxy. When any rule names a host, there is no
    /// metadata for hosts that no rule names.
    ///
    /// Source: RFC 9728 §2, §3.1 and §3.3: `resource` is the requested address.
    package func metadata(_ request: ServerRequest) -> ServerResponse {
        let path = request.path.dropFirst(Self.wellKnown.count)
        guard let (scheme, host) = origin(of: request), rules.protect(host, scheme),
            path.isEmpty || AccessPath(path) != nil, let server = server(asked: request)
        else { return ForwardAuthResponses.sentence(.notFound, "This address has no protected resource.") }
        var members = [JSONValue.Member("resource", .string("\(scheme)://\(host)" + (path == "/" ? "" : path)))]
        if let dialect = services.settings.enabledDialects.first(where: \.servesProtectedBackends) {
            let prefix = dialect.prefix(in: services.settings)
            members.append(.init(ProtectedResource.serverMember, .string(server + prefix)))
        }
        if services.clientSessions != nil, let issuer = services.address.configured {
            members.append(.init("authorization_servers", [.string(issuer)]))
            let scopes = rules.scopes(on: host, scheme)
            if !scopes.isEmpty { members.append(.init("scopes_supported", .array(scopes.map { .string($0) }))) }
            members.append(
                .init("dpop_signing_alg_values_supported", .array(ProofVerifier.algorithms.map { .string($0) })))
        }
        members.append(.init("bearer_methods_supported", .array(["header"])))
        return ServerResponse(
            status: .ok, headers: ["Content-Type": JSON.mediaType, "Cache-Control": "no-store"],
            body: JSONValue.object(members).encoded())
    }

    /// Returns this server's address. If it is not configured, as in development, returns the address of the request,
    /// unless a proxy forwarded the request.
    private func server(asked request: ServerRequest) -> String? {
        request.headers["X-Forwarded-Host"] == nil
            ? services.address.base(of: request) : services.address.configured
    }

    /// Returns the scheme and the host that the client requested: from the fields of a trusted proxy, otherwise from
    /// the request itself.
    private func origin(of request: ServerRequest) -> (String, AccessHost)? {
        let isProxy = services.proxies.trusts(request.peer)
        let hosts = isProxy ? request.headers.values("X-Forwarded-Host") : []
        let schemes = isProxy ? request.headers.values("X-Forwarded-Proto") : []
        guard hosts.count <= 1, schemes.count <= 1,
            let host = (hosts.first ?? request.headers["Host"]).flatMap({ AccessHost($0) })
        else { return nil }
        let scheme = schemes.first ?? (request.isTLS ? "https" : "http")
        guard scheme == "https" || scheme == "http" else { return nil }
        return (scheme, host.withoutPort(of: scheme))
    }
}
