import Crypto
import HTTPClient
import HTTPMessages

/// The client with which all features send requests to an account's server.
///
/// It adds the token to each request and renews it when it is due. When the server rejects the token, the client renews
/// it and sends the request once more. If the server rejects that request too and confirms it, the session ends. It
/// ends only once, however many requests fail at the same time.
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
    ///   - path: The path below the server's address, with a query if needed, such as `/api/me`. An absolute URL is
    ///     accepted only if it is on the server.
    ///   - headers: Additional header fields. `Authorization` is replaced.
    ///   - body: The body.
    /// - Returns: The server's own response, with any status. Redirects are not followed.
    /// - Throws: ``LatchError/Code/interceptedResponse`` for a response from a proxy or portal, ``LatchError/Code/signedOut``
    ///   or ``LatchError/Code/sessionEnded`` when there is no session, ``LatchError/Code/invalidRequest`` for a path
    ///   that leaves the server, or a code of the network or the secret store; `CancellationError` when the task is
    ///   cancelled, after closing the transfer.
    public func send(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: [UInt8] = []
    ) async throws -> ClientResponse {
        try await send(DialectRequest(method, path, headers: headers, body: body))
    }

    /// Sends a request of the account's dialect; see ``send(_:_:headers:body:)``.
    package func send(_ request: DialectRequest) async throws -> ClientResponse {
        try await session.perform(request, beforeNewPassword: changesPassword).response
    }

    /// The account's server.
    public var server: ServerAddress { session.server }

    /// Returns the error for a request that the server itself refused, with the server's message.
    func refused(_ response: ClientResponse) -> LatchError {
        if case .failing = session.dialect.authenticationOutcome(
            of: response, to: session.dialect.identity.path, at: server)
        {
            return session.failing(response)
        }
        return session.refused(response)
    }

    /// Downloads a file from the server into a part file, and continues one that is incomplete; see
    /// ``HTTPClient/HTTPClient/download(_:into:from:onBegin:)``.
    ///
    /// - Parameters:
    ///   - path: As for ``send(_:_:headers:body:)``.
    ///   - headers: Additional header fields.
    ///   - part: The part file to write to.
    ///   - point: Where to resume the part file. Nil starts from the beginning.
    ///   - stallTimeout: The maximum time without receiving any bytes. Default: 30 seconds.
    ///   - followsRedirects: Whether redirects are followed. Credentials are not sent to another origin. Redirects to a
    ///     sign-in proxy or portal are never followed.
    ///   - onBegin: Called before the first byte is written, with what the server is about to send. It must return
    ///     immediately.
    /// - Returns: The response of the server, or of another origin after redirects; see `redirection` of the response.
    ///   With status 200 or 206 the part file is complete.
    /// - Throws: The errors of ``send(_:_:headers:body:)``. After ``LatchError/Code/interceptedResponse`` the part file may
    ///   contain bytes that did not come from the server and must not be used.
    ///
    /// Source: DL-3, DL-13.
    package func download(
        _ path: String, headers: HTTPHeaders = [:], into part: DownloadPart, from point: ResumePoint? = nil,
        stallTimeout: Duration = .seconds(30), followsRedirects: Bool = false,
        onBegin: (@Sendable (ResumePoint) -> Void)? = nil
    ) async throws -> ClientResponse {
        try await session.perform(DialectRequest(.get, path, headers: headers), isOneOfMany: true) { request, token in
            try await session.download(
                request, with: token, into: part, from: point, stallTimeout: stallTimeout,
                followsRedirects: followsRedirects, onBegin: onBegin)
        }.response
    }

    /// Returns whether a file changed on the server.
    ///
    /// - Parameters:
    ///   - path: As for ``send(_:_:headers:body:)``. Redirects are followed as for a download.
    ///   - point: The resume point of the file when it was downloaded.
    /// - Returns: Whether the file changed, or nil when the server does not tell.
    /// - Throws: The errors of ``send(_:_:headers:body:)``.
    package func isChanged(_ path: String, since point: ResumePoint) async throws -> Bool? {
        let request = DialectRequest(.head, path, headers: point.conditions)
        let response = try await session.perform(request, isOneOfMany: true) { request, token in
            try await session.sendHead(request, token)
        }.response
        // A web page, such as that of a proxy, says nothing about the file.
        let name = path.prefix { $0 != "?" }.lowercased()
        if InterceptedResponse.isPage(response), !name.hasSuffix(".html"), !name.hasSuffix(".htm") { return nil }
        return point.isChanged(by: response)
    }

    /// The executor that is best for tasks that do little more than such downloads. Nil before the first request.
    ///
    /// See ``HTTPClient/HTTPClient/executor``.
    package var executor: (any TaskExecutor)? {
        get async { await session.transport?.client.executor }
    }
}

extension Session {
    /// Sends a request with the token. If the token is rejected, renews it and sends the request once more.
    ///
    /// - Returns: The response and the token with which it was received.
    /// - Throws: ``LatchError/Code/passwordChangeRequired`` when the server requires a password change, unless
    ///   `beforeNewPassword` is true. The server is asked first whether it still does.
    func perform(
        _ request: DialectRequest, beforeNewPassword: Bool = false
    ) async throws -> (response: ClientResponse, token: CachedToken) {
        try await perform(request, beforeNewPassword: beforeNewPassword) { try await self.exchange($0, $1) }
    }

    /// Sends a request as ``perform(_:beforeNewPassword:)`` does, with another exchange function.
    func perform(
        _ request: DialectRequest, isOneOfMany: Bool = false, beforeNewPassword: Bool = false,
        by exchange: (DialectRequest, Secret) async throws -> ClientResponse
    ) async throws -> (response: ClientResponse, token: CachedToken) {
        let token: CachedToken
        if isOneOfMany, let recent = recent() {
            token = recent.token
        } else {
            // A path that leaves the server is refused before anything is sent, even a renewal.
            _ = try (request.base ?? server).url(of: request.path)
            token = try await current()
        }
        if mustChangePassword, !beforeNewPassword, try await identity().mustChangePassword != false {
            throw LatchError(
                .passwordChangeRequired,
                "\(server) requires a password change first, so the request was not sent. Change the password.")
        }
        let (response, rejection) = try await response(to: request, with: token, by: exchange)
        guard let rejection else { return (response, token) }
        let newer: CachedToken
        switch try await renew(after: token, rejection: rejection) {
        case .renewed(let token): newer = token
        case .unchanged(_, let error): throw error
        }
        let (second, again) = try await self.response(to: request, with: newer, by: exchange)
        guard let again else { return (second, newer) }
        try await refusedAgain(newer, again)
        return (second, newer)
    }

    /// Returns the response, and the rejection if the server rejects the token. Logs requests that get no response from
    /// the server.
    private func response(
        to request: DialectRequest, with token: CachedToken,
        by exchange: (DialectRequest, Secret) async throws -> ClientResponse
    ) async throws -> (ClientResponse, Rejection?) {
        let start = ContinuousClock.now
        do {
            let response = try await exchange(request, token.token)
            return (response, try rejection(in: response, to: request))
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            accounts.log.record(
                .request, at: request.base ?? server, outcome: error.code.rawValue, after: start.duration(to: .now))
            throw error
        }
    }

    private func rejection(in response: ClientResponse, to request: DialectRequest) throws -> Rejection? {
        // Another origin did not receive the token, so its response says nothing about the session.
        if response.redirection?.isOtherOrigin ?? false { return nil }
        let asked = request.base ?? server
        let path = request.path.hasPrefix("/") ? request.path : String(request.path.dropFirst(asked.url.count))
        let place = request.base ?? address(of: response)
        switch dialect.authenticationOutcome(of: response, to: path, at: place) {
        case .rejected(let rejection):
            accounts.log.record(.rejected, at: place, outcome: LogEntry.word(rejection.reason))
            return rejection
        case .intercepted(let why): throw interceptionError(why, for: place)
        case .failing, .authenticated: return nil
        }
    }
}
