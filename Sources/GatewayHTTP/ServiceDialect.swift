package import GatewayCore
package import HTTPMessages
package import HTTPServer

/// A dialect whose routes use the gateway's stores and settings.
package protocol ServiceDialect: GatewayDialect {
    /// The stores and settings of the gateway.
    var services: GatewayServices { get }

    /// Returns the response to an error that a route does not handle itself.
    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse
}

extension ServiceDialect {
    /// Adds a route below the prefix. ``failure(_:_:)`` handles its errors.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the prefix.
    ///   - router: The router that gets the route.
    ///   - synchronousHandler: Answers a request that does not have to wait. When it returns nil, `handler` answers the
    ///     request.
    ///   - handler: Answers all other requests.
    package func add(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        synchronousHandler: (@Sendable (Self, ServerRequest) -> ServerResponse?)? = nil,
        handler: @escaping @Sendable (Self, ServerRequest) async throws -> ServerResponse
    ) {
        var first: (@Sendable (ServerRequest) -> ServerResponse?)?
        if let synchronousHandler { first = { request in synchronousHandler(self, request) } }
        router.on(method, prefix + path, synchronousHandler: first) { request in
            await response(to: request) { try await handler(self, request) }
        }
    }

    /// Adds a route below the prefix whose response is often in memory.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the prefix.
    ///   - router: The router that gets the route.
    ///   - firstStep: Returns the response, or the work that waits for it.
    package func add(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        firstStep: @escaping @Sendable (Self, ServerRequest) -> Router.FirstStep
    ) {
        router.on(method, prefix + path) { request in firstStep(self, request) }
    }

    /// Returns the response of `work`. ``failure(_:_:)`` handles its errors.
    package func response(
        to request: ServerRequest, _ work: () async throws -> ServerResponse
    ) async -> ServerResponse {
        do {
            return try await work()
        } catch {
            return failure(error, request)
        }
    }

    /// Adds a route of a sign-in. The caller is not known yet, so requests count against the client's address.
    package func addLimited(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        handler: @escaping @Sendable (Self, ServerRequest) async throws -> ServerResponse
    ) {
        add(method, path, to: &router) { dialect, request in
            if let refusal = dialect.limited(request) { return refusal }
            return try await handler(dialect, request)
        }
    }

    /// Returns the refusal of a request from an address with too many requests, or nil when the address is within its
    /// limit. Requests of pages of other origins count apart.
    package func limited(_ request: ServerRequest, _ sentence: String = "Too Many Requests") -> ServerResponse? {
        let caller = RequestCaller.from(services.proxies.client(of: request))
        let kind = services.siteCheck.kind(.address, of: request)
        return services.limits.consume(kind, caller).map { tooMany(request, wait: $0, sentence) }
    }

    /// Returns the refusal of a request that may be repeated after `wait`. A person gets a page, a program gets the
    /// dialect's own error.
    package func tooMany(
        _ request: ServerRequest, wait: Duration, _ sentence: String = "Too Many Requests"
    ) -> ServerResponse {
        let response =
            BridgeCallback.wantsPage(request)
            ? services.redirectPages.limited(request)
            : serverError(.tooManyRequests, sentence, for: RefusedRequest(request))
        return response.retry(after: wait)
    }

    /// Returns the refusal of a request whose response must contain this server's address, when that address is
    /// unknown.
    ///
    /// Source: RFC 9110 §15.5.20.
    package func unknownAddress(_ request: ServerRequest) -> ServerResponse {
        serverError(
            .misdirectedRequest, "The server does not know its own address; set public_url.",
            for: RefusedRequest(request))
    }

    /// Returns the sender of a request. Without a `device` the `User-Agent` field describes it.
    package func origin(of request: ServerRequest, _ device: SessionDevice? = nil) -> RequestOrigin {
        RequestOrigin(
            address: services.proxies.client(of: request),
            device: device ?? SessionDevice(name: request.headers["User-Agent"]), request: request.id)
    }
}
