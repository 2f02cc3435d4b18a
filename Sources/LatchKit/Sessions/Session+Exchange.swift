import FoundationEssentials

extension Session {
    /// Sends one request, with the token if there is one; redirects are handed back as they come.
    ///
    /// - Throws: ``LatchError`` for everything that brings no answer, `CancellationError`.
    func exchange(_ request: DialectRequest, _ token: Secret?, timeout: Duration? = .seconds(30)) async throws
        -> ClientResponse
    {
        let (client, message) = try await message(request, token, timeout: timeout)
        return try await LatchError.telling(request.base ?? server) { try await client.send(message) }
    }

    /// The same for a file, without a bound for the whole.
    func download(
        _ request: DialectRequest, _ token: Secret, _ part: DownloadPart, _ point: ResumePoint?,
        _ stallTimeout: Duration, _ onBegin: (@Sendable (ResumePoint) -> Void)?
    ) async throws -> ClientResponse {
        var (client, message) = try await message(request, token, timeout: nil)
        message.stallTimeout = stallTimeout
        let whole = message
        return try await LatchError.telling(server) {
            try await client.download(whole, into: part, from: point, onBegin: onBegin)
        }
    }

    /// A request as it goes out, and the client that it goes by.
    func message(
        _ request: DialectRequest, _ token: Secret?, timeout: Duration?
    ) async throws -> (HTTPClient, ClientRequest) {
        let url = try (request.base ?? server).url(of: request.path)
        let client = try await openTransport()
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

    /// The error for an answer of somebody else.
    func foreign(_ why: String) -> LatchError {
        LatchError(.foreignAnswer, "\(server) did not answer itself; \(why) You stay signed in.")
    }

    /// The error for a success that is not this server's own.
    func misread(_ answer: ClientResponse) -> LatchError {
        if case .failing = dialect.verdict(on: answer, to: dialect.identity.path, at: dialect.identity.base ?? server) {
            return failing(answer)
        }
        if !answer.status.isSuccess { return refused(answer) }
        return foreign("what came is not what such a server says (\(ForeignAnswer.sketch(answer))).")
    }

    /// The error for a server that fails.
    nonisolated func failing(_ answer: ClientResponse) -> LatchError {
        let wait = dialect.pause(after: answer)
        guard answer.status != .tooManyRequests else {
            let pause = wait.map { "\($0.components.seconds) seconds" } ?? "a little"
            return LatchError(
                .rateLimited, "\(server) wants fewer requests. Wait \(pause) and try again.", retryAfter: wait)
        }
        let remedy = dialect.remedy(for: answer).map { " " + $0 } ?? ""
        return LatchError(
            .serverError,
            "\(server) has a fault of its own (status \(answer.status)). Try again later. You stay signed in.\(remedy)",
            retryAfter: wait)
    }

    /// The error for a server that answers and refuses.
    nonisolated func refused(_ answer: ClientResponse) -> LatchError {
        let words = ServerText.clean(dialect.words(in: answer) ?? ForeignAnswer.sketch(answer))
        return LatchError(.serverRefused, "\(server) refuses: \(words). You stay signed in.")
    }
}
