import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import Synchronization

extension Session {
    /// Sends one request, with the token if there is one. Redirects are returned, not followed.
    ///
    /// The timeout is that of all requests, or `timeout` if that is shorter. Other addresses of the server are checked
    /// with `checkToken`, or with `token` if that is nil.
    ///
    /// - Throws: ``LatchError`` when there is no response; `CancellationError`.
    func exchange(
        _ request: DialectRequest, _ token: Secret?, timeout: Duration? = nil, checkToken: Secret? = nil
    ) async throws -> ClientResponse {
        let bound = accounts.requestTimeout()
        return try await routed(request, checkToken ?? token) { transport in
            try await proofs.sending {
                try message(request, token, timeout: min(timeout ?? bound, bound), by: transport)
            } by: { message in
                try await LatchError.converting(request.base ?? transport.address) {
                    try await transport.client.send(message)
                }
            }
        }
    }

    /// Downloads a file. There is no timeout for the whole download. When the address in use fails, the download
    /// continues at another one, if the server identifies the version of the file.
    func download(
        _ request: DialectRequest, with token: Secret, into part: DownloadPart, from point: ResumePoint?,
        stallTimeout: Duration, followsRedirects: Bool, onBegin: (@Sendable (ResumePoint) -> Void)?
    ) async throws -> ClientResponse {
        // The version of the file of which an attempt has written bytes.
        let begun = Mutex<ResumePoint?>(nil)
        let response = try await routed(request, token, by: recent()?.transport) { transport in
            try await proofs.sending {
                var message = try message(request, token, timeout: nil, by: transport)
                message.stallTimeout = stallTimeout
                if followsRedirects { follow(&message, from: transport.address) }
                return message
            } by: { message in
                let version = begun.withLock(\.self)
                let start = if let version { version.continued(at: part) } else { point }
                return try await LatchError.converting(transport.address) {
                    try await transport.client.download(message, into: part, from: start) { version in
                        begun.withLock { $0 = version }
                        onBegin?(version)
                    }
                }
            }
        }
        if let redirection = response.redirection, redirection.isRejectedPage {
            throw interceptionError(
                InterceptedResponse.page(in: response, elsewhere: redirection.isOtherOrigin), for: nil)
        }
        return response
    }

    /// Sends a `HEAD` request to find out which version of a file the server has.
    func sendHead(_ request: DialectRequest, _ token: Secret) async throws -> ClientResponse {
        try await routed(request, token, by: recent()?.transport) { transport in
            try await proofs.sending {
                var message = try message(request, token, timeout: Self.headTimeout, by: transport)
                follow(&message, from: transport.address)
                return message
            } by: { message in
                try await LatchError.converting(transport.address) { try await transport.client.send(message) }
            }
        }
    }

    private func follow(_ message: inout ClientRequest, from address: ServerAddress) {
        message.redirects = .follow(maximum: Self.maximumRedirects)
        message.mayFollow = { !InterceptedResponse.isInterceptedRedirect($0, from: address) }
    }

    /// Half of the limit after which browsers assume a redirect loop.
    ///
    /// Source: Fetch standard, HTTP-redirect fetch.
    private static let maximumRedirects = 10
    private static let headTimeout = Duration.seconds(10)

    /// Returns a request as it is sent through a transport.
    func message(
        _ request: DialectRequest, _ token: Secret?, timeout: Duration?, by transport: Transport
    ) throws -> ClientRequest {
        var request = request
        if let token {
            for field in dialect.tokenHeaders where request.headers[field.name] == nil {
                request.headers[field.name] = field.value
            }
            request = dialect.authorize(
                request, with: token, besides: transport.client.configuration.extraHeaders)
        }
        let url = try url(of: request, at: transport.address)
        if let token {
            // A gateway knows only the account's own address, whichever address the request goes to.
            let fields = proofs.fields(
                request.method, url, as: try self.url(of: request, at: server),
                token: request.tokenField == nil ? token : nil)
            // The token may be in another field, because the connection has its own `Authorization`.
            for field in fields
            where field.name != "Authorization" || request.headers["Authorization"]?.hasPrefix("Bearer ") == true {
                request.headers[field.name] = field.value
            }
        }
        return ClientRequest(
            method: request.method, url: url, headers: request.headers,
            body: request.body, timeout: timeout, maximumBodyBytes: request.maximumBodyBytes)
    }

    /// Returns the URL of a request at an address of the server. A complete URL is below the account's own address.
    private func url(of request: DialectRequest, at address: ServerAddress) throws(LatchError) -> String {
        let url = try (request.base ?? server).url(of: request.path)
        guard request.base == nil, address != server else { return url }
        return try address.url(of: String(Substring(url.utf8.dropFirst(server.url.utf8.count))))
    }

    /// The end of error messages when the session is still valid.
    static let stays = " You stay signed in."

    /// Returns the error for a response that did not come from the server.
    ///
    /// - Parameters:
    ///   - why: How this was detected, as a sentence.
    ///   - place: The server that was asked. Nil for the account's server.
    ///   - end: The end of the message.
    /// - Returns: The error.
    func interceptionError(_ why: String, for place: ServerAddress?, then end: String = Session.stays) -> LatchError {
        LatchError(.interceptedResponse, "The response did not come from \(place ?? server); \(why)\(end)")
    }

    /// Returns the error for a rejection that the server did not confirm.
    func unconfirmed(then end: String = Session.stays) -> LatchError {
        interceptionError(
            "another system refused the session, and the server did not confirm it.",
            for: dialect.identity.base, then: end)
    }

    /// Returns the error for a response that should contain an identity or a token of this family, but does not.
    func unrecognized(_ response: ClientResponse) -> LatchError {
        let place = dialect.identity.base
        if case .failing = dialect.authenticationOutcome(of: response, to: dialect.identity.path, at: place ?? server) {
            return failing(response, at: place)
        }
        if !response.status.isSuccess { return refused(response, by: place) }
        return interceptionError(
            "it has an unexpected format (\(InterceptedResponse.summary(response))). Try again later.",
            for: place)
    }

    /// Returns the error for a server that fails or asks for a pause; see ``interceptionError(_:for:then:)``.
    nonisolated func failing(
        _ response: ClientResponse, at place: ServerAddress? = nil, then end: String = Session.stays
    ) -> LatchError {
        dialect.failing(response, at: place ?? server, then: end)
    }

    /// Returns the error for a server that refuses a request.
    nonisolated func refused(_ response: ClientResponse, by place: ServerAddress? = nil) -> LatchError {
        let message = SanitizedText.clause(dialect.errorMessage(in: response) ?? InterceptedResponse.summary(response))
        return LatchError(
            .serverRefused, "\(place ?? server) refused the request: \(message).\(Self.stays)", status: response.status)
    }
}

extension Dialect {
    /// Returns the error for a server that fails or asks for a pause.
    fileprivate func failing(_ response: ClientResponse, at server: ServerAddress, then end: String) -> LatchError {
        let wait = retryDelay(after: response)
        guard response.status != .tooManyRequests else {
            let pause = wait.map { "\($0.components.seconds) seconds" } ?? "a moment"
            return LatchError(
                .rateLimited, "Too many requests to \(server). Wait \(pause) and try again.", retryAfter: wait,
                status: response.status)
        }
        let remedy = hint(for: response).map { " " + $0 } ?? ""
        return LatchError(
            .serverError,
            "\(server) \(response.status.failureDescription). Try again later.\(end)\(remedy)",
            retryAfter: wait, status: response.status)
    }

    /// Reads the response to a request that ends a session or revokes a key. Returns nil when the server itself says
    /// that this was done, otherwise the reason why not.
    func revocationError(
        _ response: ClientResponse, to request: DialectRequest, at server: ServerAddress
    ) -> LatchError? {
        let server = request.base ?? server
        switch authenticationOutcome(of: response, to: request.path, at: server) {
        case .authenticated: return revocationFailure(response, at: server).map { LatchError(.serverRefused, $0) }
        case .rejected: return LatchError(.serverRefused, "\(server) refused the token (status \(response.status)).")
        case .intercepted(let why):
            return LatchError(.interceptedResponse, "The response did not come from \(server); \(why)")
        case .failing: return failing(response, at: server, then: "")
        }
    }
}
