import FoundationEssentials

extension Session {
    /// Sends one request, with the token if there is one; redirects are handed back as they come.
    ///
    /// It waits as long as for any request, or less where `timeout` is less.
    ///
    /// - Throws: ``LatchError`` for everything that brings no answer, `CancellationError`.
    func exchange(_ request: DialectRequest, _ token: Secret?, timeout: Duration? = nil) async throws
        -> ClientResponse
    {
        let bound = accounts.requestTimeout()
        let (client, message) = try await message(request, token, timeout: min(timeout ?? bound, bound))
        return try await LatchError.telling(request.base ?? server) { try await client.send(message) }
    }

    /// The same for a file, without a bound for the whole.
    func download(
        _ request: DialectRequest, _ token: Secret, _ part: DownloadPart, _ point: ResumePoint?,
        _ stallTimeout: Duration, followsRedirects: Bool, _ onBegin: (@Sendable (ResumePoint) -> Void)?
    ) async throws -> ClientResponse {
        var (client, message) = try await message(request, token, timeout: nil, by: recent()?.client)
        message.stallTimeout = stallTimeout
        if followsRedirects { follow(&message) }
        let whole = message
        let answer = try await LatchError.telling(server) {
            try await client.download(whole, into: part, from: point, onBegin: onBegin)
        }
        if let redirection = answer.redirection, redirection.isUntakenPage {
            throw foreign(InterceptedResponse.page(in: answer, elsewhere: redirection.isElsewhere), for: nil)
        }
        return answer
    }

    /// Asks what a server has at an address, and takes no body.
    func look(_ request: DialectRequest, _ token: Secret) async throws -> ClientResponse {
        var (client, message) = try await message(request, token, timeout: Self.longestLook, by: recent()?.client)
        follow(&message)
        let whole = message
        return try await LatchError.telling(server) { try await client.send(whole) }
    }

    private func follow(_ message: inout ClientRequest) {
        message.redirects = .follow(maximum: Self.mostRedirects)
        message.mayFollow = { [server] in !InterceptedResponse.leadsToStranger($0, from: server) }
    }

    /// Half of what browsers take for no circle.
    ///
    /// Source: Fetch standard, HTTP-redirect fetch.
    private static let mostRedirects = 10
    private static let longestLook = Duration.seconds(10)

    /// A request as it goes out, and the client that it goes by.
    func message(
        _ request: DialectRequest, _ token: Secret?, timeout: Duration?, by recent: HTTPClient? = nil
    ) async throws -> (HTTPClient, ClientRequest) {
        let url = try (request.base ?? server).url(of: request.path)
        let client = if let recent { recent } else { try await openTransport() }
        var headers = request.headers
        if let token {
            for field in dialect.tokenHeaders where headers[field.name] == nil { headers[field.name] = field.value }
            let extra = client.configuration.extraHeaders
            for field in dialect.authorization(token, besides: extra) { headers[field.name] = field.value }
        }
        return (
            client,
            ClientRequest(method: request.method, url: url, headers: headers, body: request.body, timeout: timeout)
        )
    }

    /// The client that connects as the account wants it, made once and again after a sign-in that connects otherwise.
    func openTransport() async throws -> HTTPClient {
        guard let connection = try await accounts.record(accountID)?.connection else {
            throw signedOutError(.notSignedIn)
        }
        if let transport, transport.connection == connection { return transport.client }
        let options = try await accounts.connection(of: accountID)
        if let transport, transport.connection == connection { return transport.client }
        // The one before closes itself when its last request is done.
        let client = try options.client(userAgent: device.userAgent, home: server)
        transport = (client, connection)
        return client
    }

    /// What is told last where an answer ends no session.
    static let stays = " You stay signed in."

    /// The error for an answer of somebody else.
    ///
    /// - Parameters:
    ///   - why: How that shows.
    ///   - place: Who was asked; nil for the account's own server.
    ///   - end: What is told last.
    /// - Returns: It.
    func foreign(_ why: String, for place: ServerAddress?, then end: String = Session.stays) -> LatchError {
        LatchError(.foreignAnswer, "\(place ?? server) did not answer itself; \(why)\(end)")
    }

    /// The error for a refusal that the server does not stand behind.
    func unconfirmed(then end: String = Session.stays) -> LatchError {
        foreign(
            "something refused the session in the server's place; the server itself has not.",
            for: dialect.identity.base, then: end)
    }

    /// The error for a success that is not this server's own.
    func misread(_ answer: ClientResponse) -> LatchError {
        let place = dialect.identity.base
        if case .failing = dialect.authenticationOutcome(of: answer, to: dialect.identity.path, at: place ?? server) {
            return failing(answer, at: place)
        }
        if !answer.status.isSuccess { return refused(answer, by: place) }
        return foreign(
            "what came is not what such a server says (\(InterceptedResponse.sketch(answer))). Try again later.",
            for: place)
    }

    /// The error for a server that fails; see ``foreign(_:for:then:)``.
    nonisolated func failing(
        _ answer: ClientResponse, at place: ServerAddress? = nil, then end: String = Session.stays
    ) -> LatchError {
        dialect.failing(answer, at: place ?? server, then: end)
    }

    /// The error for a server that answers and refuses.
    nonisolated func refused(_ answer: ClientResponse, by place: ServerAddress? = nil) -> LatchError {
        let words = SanitizedText.clean(dialect.errorMessage(in: answer) ?? InterceptedResponse.sketch(answer))
        return LatchError(.serverRefused, "\(place ?? server) refuses: \(words).\(Self.stays)")
    }
}

extension Dialect {
    /// The error for a server that fails.
    fileprivate func failing(_ answer: ClientResponse, at server: ServerAddress, then end: String) -> LatchError {
        let wait = retryDelay(after: answer)
        guard answer.status != .tooManyRequests else {
            let pause = wait.map { "\($0.components.seconds) seconds" } ?? "a little"
            return LatchError(
                .rateLimited, "\(server) wants fewer requests. Wait \(pause) and try again.", retryAfter: wait)
        }
        let remedy = hint(for: answer).map { " " + $0 } ?? ""
        return LatchError(
            .serverError,
            "\(server) has a fault of its own (status \(answer.status)). Try again later.\(end)\(remedy)",
            retryAfter: wait)
    }

    /// Why an answer to a request that ends a session or revokes a key does not say that this was done; nil when the server itself
    /// says that it was.
    func revocationError(
        _ answer: ClientResponse, to request: DialectRequest, at server: ServerAddress
    ) -> LatchError? {
        let server = request.base ?? server
        switch authenticationOutcome(of: answer, to: request.path, at: server) {
        case .answered: return revocationFailure(answer, at: server).map { LatchError(.serverRefused, $0) }
        case .rejected: return LatchError(.serverRefused, "\(server) refuses the token (status \(answer.status)).")
        case .intercepted(let why): return LatchError(.foreignAnswer, "\(server) did not answer itself; \(why)")
        case .failing: return failing(answer, at: server, then: "")
        }
    }
}
