import HTTPMessages
import WebSockets

/// The result of a request for a WebSocket connection.
package enum WebSocketUpgrade: Sendable {
    /// The connection is open.
    case connected(WebSocketConnection)
    /// The server responded with another status than 101. The body is complete if its length was announced or it
    /// was sent in chunks, and if it has at most 64 KiB, otherwise empty.
    case refused(ClientResponse)
}

extension HTTPClient {
    /// Opens a WebSocket connection. Trust, client certificate, proxy and extra header fields are those of
    /// ``send(_:)``; with a proxy the connection is a tunnel. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - request: A `GET` request at an `http` or `https` address. Its timeout ends with the response of the server.
    ///   - maximumMessageBytes: The maximum size of a message of the server.
    /// - Returns: The connection, or the response of a server that refuses it.
    /// - Throws: ``TransportError``; its code is `invalidResponse` for a response that violates the protocol and
    ///   `tooLarge` for a head of more than 16 KiB. `CancellationError`.
    ///
    /// Source: RFC 6455 §4.1.
    package func openWebSocket(
        _ request: ClientRequest, maximumMessageBytes: Int = 1 << 20
    ) async throws -> WebSocketUpgrade {
        try Self.checkMessage(request)
        let deadline = request.timeout.map { ContinuousClock.now + $0 }
        let address = try RequestAddress(parsing: request.url)
        var hop = Hop(method: .get, address: address, headers: request.headers, body: [])
        hop.isAway = !isHome(address)
        var plan = try plan(hop, of: request, until: deadline, into: nil)
        (plan.connectsOnly, plan.keepsConnection) = (true, true)
        guard let stream = try await (hop.isAway ? elsewhere : home).perform(plan).connection else {
            throw TransportError(.other, "Could not reach '\(address.origin)': there is no connection; try again.")
        }
        let handshake = UpgradeHandshake(plan: plan)
        do {
            let (head, rest) = try await Self.closing(stream, at: deadline, for: address) {
                try await handshake.perform(on: stream)
            }
            guard let head else {
                return .connected(
                    WebSocketConnection(stream, first: rest, maximumMessageBytes: maximumMessageBytes))
            }
            stream.close()
            return .refused(
                ClientResponse(status: head.status, headers: head.headers, body: rest, url: address.url))
        } catch {
            stream.close()
            throw error
        }
    }

    /// Runs `body` and closes the connection at the deadline.
    private static func closing<Value: Sendable>(
        _ stream: any ByteStream, at deadline: ContinuousClock.Instant?, for address: RequestAddress,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let timer = deadline.map { deadline in
            Task {
                guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
                stream.close()
            }
        }
        defer { timer?.cancel() }
        do {
            return try await body()
        } catch let error as CancellationError {
            guard !Task.isCancelled, let deadline, deadline <= .now else { throw error }
            throw TransportError(
                .timedOut,
                "Could not reach '\(address.origin)': it did not respond in the allowed time; try again.")
        }
    }
}
