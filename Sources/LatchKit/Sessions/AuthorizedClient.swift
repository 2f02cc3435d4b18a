/// How every feature calls an account's server.
///
/// It puts the token on each request, renews it when it is due, and meets a rejection once: the token is renewed and the
/// request sent again. When that is rejected too the session ends, once, however many requests fail together.
///
/// Source: OX-12, TT-7, TT-11, IM-8, IM-9.
public struct AuthorizedClient: Sendable {
    let session: Session
    /// Whether its requests are sent even while the server requires a password change.
    var changesPassword = false

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path below the server's address, with a query if need be: `/api/me`. A whole address is taken only
    ///     if it is the server's own.
    ///   - headers: Further fields; `Authorization` is replaced.
    ///   - body: The body.
    /// - Returns: The server's own answer of any status, its body empty or not; redirects are not followed.
    /// - Throws: ``LatchError/Code/foreignAnswer`` for an answer of a proxy or portal, ``LatchError/Code/signedOut`` and
    ///   ``LatchError/Code/sessionEnded`` without a session, ``LatchError/Code/invalidRequest`` for a path that leaves
    ///   the server, the codes of network and secret store; `CancellationError` when cancelled, with the transfer
    ///   closed.
    public func send(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: [UInt8] = []
    ) async throws -> ClientResponse {
        try await send(DialectRequest(method, path, headers: headers, body: body))
    }

    /// Sends a request of the account's dialect; what holds for ``send(_:_:headers:body:)`` holds here too.
    public func send(_ request: DialectRequest) async throws -> ClientResponse {
        try await session.perform(request, beforeNewPassword: changesPassword).answer
    }

    /// The account's server.
    public var server: ServerAddress { session.server }

    /// The error for the server's own refusal of a request, in its words.
    func refused(_ answer: ClientResponse) -> LatchError {
        if case .failing = session.dialect.authenticationOutcome(
            of: answer, to: session.dialect.identity.path, at: server)
        {
            return session.failing(answer)
        }
        return session.refused(answer)
    }

    /// Streams a file of the server's into a part, from where the part stands; see
    /// ``HTTPClient/HTTPClient/download(_:into:from:onBegin:)``.
    ///
    /// - Parameters:
    ///   - path: As for ``send(_:_:headers:body:)``.
    ///   - headers: Further fields.
    ///   - part: Where the bytes go.
    ///   - point: Up to where the part is good; nil begins anew.
    ///   - stallTimeout: How long not one byte may come.
    ///   - followsRedirects: Whether redirects are followed, without credentials where they lead to another origin; those to
    ///     a sign-in proxy or portal never are.
    ///   - onBegin: Told what will come before its first byte is written; it must return at once.
    /// - Returns: The server's own answer, or that of another origin, which says so. With status 200 and 206 the part is whole.
    /// - Throws: As ``send(_:_:headers:body:)``. After ``LatchError/Code/foreignAnswer`` the part may hold what somebody else
    ///   sent, and is good for nothing.
    ///
    /// Source: DL-3, DL-13.
    public func download(
        _ path: String, headers: HTTPHeaders = [:], into part: DownloadPart, from point: ResumePoint? = nil,
        stallTimeout: Duration = .seconds(30), followsRedirects: Bool = false,
        onBegin: (@Sendable (ResumePoint) -> Void)? = nil
    ) async throws -> ClientResponse {
        try await session.perform(DialectRequest(.get, path, headers: headers), isOneOfMany: true) { request, token in
            try await session.download(
                request, token, part, point, stallTimeout, followsRedirects: followsRedirects, onBegin)
        }.answer
    }

    /// Whether a file of the server's is another by now than it was.
    ///
    /// - Parameters:
    ///   - path: As for ``send(_:_:headers:body:)``; redirects are followed as for a download.
    ///   - point: What was known of it when it was fetched.
    /// - Returns: nil where the server does not tell.
    /// - Throws: As ``send(_:_:headers:body:)``.
    public func isChanged(_ path: String, since point: ResumePoint) async throws -> Bool? {
        let request = DialectRequest(.head, path, headers: point.conditions)
        let answer = try await session.perform(request, isOneOfMany: true) { request, token in
            try await session.look(request, token)
        }.answer
        // Somebody's page says nothing of the file.
        let name = path.prefix { $0 != "?" }.lowercased()
        if InterceptedResponse.isPage(answer), !name.hasSuffix(".html"), !name.hasSuffix(".htm") { return nil }
        return point.isChanged(by: answer)
    }

    /// Where tasks run best that do little more than such downloads; nil before the first request.
    ///
    /// See ``HTTPClient/HTTPClient/executor``.
    public var executor: (any TaskExecutor)? {
        get async { await session.transport?.client.executor }
    }
}

extension Session {
    /// Sends a request with the token, and meets a rejection once; the answer, and the token that brought it.
    ///
    /// - Throws: ``LatchError/Code/passwordChangeRequired`` when the server requires a password change, unless
    ///   `beforeNewPassword` is true. The server is asked first whether it still does.
    func perform(
        _ request: DialectRequest, beforeNewPassword: Bool = false
    ) async throws -> (answer: ClientResponse, token: HeldToken) {
        try await perform(request, beforeNewPassword: beforeNewPassword) { try await self.exchange($0, $1) }
    }

    /// The same for an exchange of another kind.
    func perform(
        _ request: DialectRequest, isOneOfMany: Bool = false, beforeNewPassword: Bool = false,
        by exchange: (DialectRequest, Secret) async throws -> ClientResponse
    ) async throws -> (answer: ClientResponse, token: HeldToken) {
        let token: HeldToken
        if isOneOfMany, let recent = recent() {
            token = recent.token
        } else {
            _ = try (request.base ?? server).url(of: request.path)
            token = try await current()
        }
        if mustChangePassword, !beforeNewPassword, try await identity().mustChangePassword != false {
            throw LatchError(
                .passwordChangeRequired,
                "\(server) wants another password before anything else, so the request was not sent. Change the password first."
            )
        }
        let (answer, rejection) = try await answer(request, token, exchange)
        guard let rejection else { return (answer, token) }
        let newer: HeldToken
        switch try await renew(after: token, rejection: rejection) {
        case .renewed(let token): newer = token
        case .kept(_, let error): throw error
        }
        let (second, again) = try await self.answer(request, newer, exchange)
        guard let again else { return (second, newer) }
        try await refusedAgain(newer, again)
        return (second, newer)
    }

    /// The server's answer, and whether it refuses the token; what kept it from answering is noted.
    private func answer(
        _ request: DialectRequest, _ token: HeldToken,
        _ exchange: (DialectRequest, Secret) async throws -> ClientResponse
    ) async throws -> (ClientResponse, Rejection?) {
        let start = ContinuousClock.now
        do {
            let answer = try await exchange(request, token.token)
            return (answer, try rejection(in: answer, to: request))
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            accounts.log.note(
                .request, request.base ?? server, error.code.rawValue, after: start.duration(to: .now))
            throw error
        }
    }

    private func rejection(in answer: ClientResponse, to request: DialectRequest) throws -> Rejection? {
        // Another origin was shown no token, and says nothing of the session.
        if answer.redirection?.isElsewhere ?? false { return nil }
        let place = request.base ?? server
        let path = request.path.hasPrefix("/") ? request.path : String(request.path.dropFirst(place.url.count))
        switch dialect.authenticationOutcome(of: answer, to: path, at: place) {
        case .rejected(let rejection):
            accounts.log.note(.rejected, place, LogEntry.word(rejection.reason))
            return rejection
        case .intercepted(let why): throw foreign(why, for: place)
        case .failing, .answered: return nil
        }
    }
}
