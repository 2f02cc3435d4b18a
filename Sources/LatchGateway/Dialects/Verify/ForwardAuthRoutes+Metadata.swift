import HTTPServer
import OAuth
import Wire

extension ForwardAuthRoutes {
    /// Where the metadata of what is protected stand, on each protected host.
    static let wellKnown = "/.well-known/oauth-protected-resource"

    /// Who signs people in to the address behind the well-known part: what a native app needs to find sign-in.
    ///
    /// `latchd_server` is specific to latchd. `authorization_servers` is left out: it lists OAuth servers with an authorization
    /// and a token endpoint, and a general OAuth client cannot use the sign-in here.
    ///
    /// It is asked on the protected host, through its proxy. A host that no rule names is not told about, once a rule names
    /// any.
    ///
    /// Source: RFC 9728 §2, §3.1 and §3.3: `resource` is the address that was asked for.
    func metadata(_ request: ServerRequest) -> ServerResponse {
        let path = request.path.dropFirst(Self.wellKnown.count)
        guard let (scheme, host) = origin(of: request), rules.protect(host, scheme),
            path.isEmpty || AccessPath(path) != nil, let server = server(asked: request)
        else { return ForwardAuthAnswers.sentence(.notFound, "Nothing here is protected.") }
        var members = [JSONValue.Member("resource", .string("\(scheme)://\(host)" + (path == "/" ? "" : path)))]
        if services.settings.onyx.isEnabled {
            members.append(.init(ProtectedResource.serverMember, .string(server + services.settings.onyx.prefix)))
        }
        members.append(.init("bearer_methods_supported", .array(["header"])))
        return ServerResponse(
            status: .ok, headers: ["Content-Type": JSON.mediaType, "Cache-Control": "no-store"],
            body: JSONValue.object(members).encoded())
    }

    /// This server's address. Where it is not configured, for development, that is the one that was asked, if nobody stands
    /// between.
    private func server(asked request: ServerRequest) -> String? {
        request.headers["X-Forwarded-Host"] == nil
            ? services.address.base(of: request) : services.address.configured
    }

    /// The scheme and host that the client asked for, as a trusted proxy tells them, else as the request itself does.
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
