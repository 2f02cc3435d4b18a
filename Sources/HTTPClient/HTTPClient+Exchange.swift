import HTTPMessages

extension HTTPClient {
    /// Sends a request and follows redirects as the request allows.
    func exchange(
        _ request: ClientRequest, _ reception: PartReception?
    ) async throws -> ClientResponse {
        try Self.checkMessage(request)
        let deadline = request.timeout.map { ContinuousClock.now + $0 }
        let address = try RequestAddress(parsing: request.url)
        var hop = Hop(method: request.method, address: address, headers: request.headers, body: request.body)
        hop.isAway = !isHome(address)
        var followed = 0
        while true {
            var reception = reception
            if followed > 0 { reception?.redirect(from: address, to: hop.address) }
            let plan = try plan(hop, of: request, until: deadline, into: reception)
            let result = try await perform(plan, hop, from: address)
            var response = response(result, from: hop)
            if followed > 0 {
                response.redirection = Redirection(isOtherOrigin: hop.hasLeft, isRejectedPage: result.isRejectedPage)
            }
            guard RedirectRules.isRedirect(result.status), case .follow(let maximum) = request.redirects,
                request.mayFollow?(response) ?? true,
                let target = try RedirectRules.target(of: result.headers, from: hop.address)
            else { return response }
            guard followed < maximum else {
                throw TransportError(
                    .tooManyRedirects,
                    "Gave up on '\(hop.address.origin)' after \(maximum) redirects: the server redirects in a "
                        + "loop; check the address."
                )
            }
            followed += 1
            hop = try RedirectRules.next(hop, after: result.status, to: target)
        }
    }

    /// Sends one request of a chain. The message of an error at another origin than the first names both origins.
    private func perform(_ plan: TransferPlan, _ hop: Hop, from first: RequestAddress) async throws -> TransferResult {
        do {
            return try await (hop.isAway ? elsewhere : home).perform(plan)
        } catch let error as TransportError where !hop.address.hasSameOrigin(as: first) && error.code.isOfNetwork {
            throw TransportError(
                error.code, "The server '\(first.origin)' redirected to another server. \(error.message)",
                cause: error.cause, isOtherOrigin: true)
        }
    }

    /// Returns whether the extra header fields, the client certificate and the pin apply to an address.
    func isHome(_ address: RequestAddress) -> Bool {
        guard let home = configuration.serverHost else { return true }
        return address.host == home && (address.scheme == "https" || !configuration.homeIsEncrypted)
    }

    func plan(
        _ hop: Hop, of request: ClientRequest, until deadline: ContinuousClock.Instant?,
        into reception: PartReception?
    ) throws(TransportError) -> TransferPlan {
        var headers = hop.headers
        if !hop.isAway {
            for field in configuration.extraHeaders where hop.headers[field.name] == nil {
                headers.append(field.name, field.value)
            }
            if headers[TraceContext.parentField] == nil {
                for field in TraceContext.current?.fields() ?? [] { headers.append(field.name, field.value) }
            }
        }
        return TransferPlan(
            method: hop.method, address: hop.address, headers: headers, body: hop.body,
            userAgent: configuration.userAgent, proxy: try proxies.proxy(for: hop.address),
            connectTimeout: request.connectTimeout, timeout: deadline.map { ContinuousClock.now.duration(to: $0) },
            stallTimeout: request.stallTimeout, maximumBodyBytes: request.maximumBodyBytes, reception: reception)
    }

    private func response(_ result: TransferResult, from hop: Hop) -> ClientResponse {
        ClientResponse(
            status: result.status, headers: result.headers, body: result.body, url: hop.address.url,
            httpVersion: result.version)
    }

    static func checkMessage(_ request: ClientRequest) throws(TransportError) {
        guard HTTPHeaders.isSafe(name: request.method.rawValue, value: "") else {
            throw TransportError(
                .invalidRequest, "Could not send the request: its method is invalid; use one such as 'GET'.")
        }
        try checkFields(request.headers)
    }

    /// Throws for fields that would break the message, and for fields that only the transfer itself can set.
    ///
    /// Source: RFC 9110 §5.5, RFC 9112 §6.
    static func checkFields(_ headers: HTTPHeaders) throws(TransportError) {
        for field in headers {
            guard HTTPHeaders.isSafe(name: field.name, value: field.value) else {
                throw TransportError(
                    .invalidRequest,
                    "Could not send the header '\(field.name.filter { $0.isLetter || $0 == "-" })': its name or "
                        + "value contains a forbidden character; remove line breaks and control characters."
                )
            }
            let own = ["Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "TE"]
            guard !own.contains(where: { HTTPHeaders.namesAreEqual($0, field.name) }) else {
                throw TransportError(
                    .invalidRequest,
                    "Could not send the header '\(field.name)': the client sets it itself; omit it.")
            }
        }
    }
}
