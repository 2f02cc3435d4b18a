import HTTPServer
import Wire

/// A dialect whose routes use the gateway's stores and settings.
protocol ServiceDialect: GatewayDialect {
    /// What the routes use.
    var services: GatewayServices { get }

    /// The response to an error that no route has an answer of its own for.
    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse
}

extension ServiceDialect {
    /// Adds a route below the prefix, whose errors ``failure(_:_:)`` answers.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the prefix.
    ///   - router: Gets the route.
    ///   - synchronousHandler: Answers a request that need not wait for anything; nil from it leaves the request to `handler`.
    ///   - handler: Answers every other request.
    func add(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        synchronousHandler: (@Sendable (Self, ServerRequest) -> ServerResponse?)? = nil,
        _ handler: @escaping @Sendable (Self, ServerRequest) async throws -> ServerResponse
    ) {
        var first: (@Sendable (ServerRequest) -> ServerResponse?)?
        if let synchronousHandler { first = { request in synchronousHandler(self, request) } }
        router.on(method, prefix + path, synchronousHandler: first) { request in
            do {
                return try await handler(self, request)
            } catch {
                return failure(error, request)
            }
        }
    }

    /// Adds a route of a sign-in, whose caller nobody knows yet: its requests count against the client's address.
    func addLimited(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        _ handler: @escaping @Sendable (Self, ServerRequest) async throws -> ServerResponse
    ) {
        add(method, path, to: &router) { dialect, request in
            if let refusal = dialect.limited(request) { return refusal }
            return try await handler(dialect, request)
        }
    }

    /// The refusal of a request from an address that has asked too often; nil for one that may go on. A person gets a page, a
    /// program the dialect's own words.
    func limited(_ request: ServerRequest, _ sentence: String = "Too Many Requests") -> ServerResponse? {
        let caller = RequestCaller.from(services.proxies.client(of: request))
        guard let wait = services.limits.take(.address, caller) else { return nil }
        let response =
            BridgeReturn.wantsPage(request)
            ? services.redirectPages.limited(request)
            : serverError(.tooManyRequests, sentence, RefusedRequest(request))
        return response.retry(after: wait)
    }

    /// The refusal of a request whose answer must name this server's address, where that is not known.
    ///
    /// Source: RFC 9110 §15.5.20.
    func unknownAddress(_ request: ServerRequest) -> ServerResponse {
        serverError(
            .misdirectedRequest, "The server does not know its own address; set public_url.", RefusedRequest(request))
    }

    /// Who sends a request, from `device`; nil for a device that is known by its program's name.
    func origin(of request: ServerRequest, _ device: SessionDevice? = nil) -> RequestOrigin {
        RequestOrigin(
            address: services.proxies.client(of: request),
            device: device ?? SessionDevice(name: request.headers["User-Agent"]), request: request.id)
    }
}
