import HTTPClient
import HTTPMessages

extension TimeTrackerDialect {
    /// One of the requests that identify the family: `GET /health`.
    package var probe: DialectRequest { DialectRequest(.get, prefix + "/health", headers: Self.headers) }

    /// Recognizes a server by a successful response with `{"status": "ok", "timestamp"}`. Many servers send the same,
    /// so ``discover(_:)`` checks further responses.
    package func match(_ response: ClientResponse) -> ServerMatch {
        let json = try? JSONValue(parsing: response.body)
        guard response.status.isSuccess, json?["status"]?.string == "ok", json?["timestamp"]?.string != nil else {
            return .notRecognized(
                "its response to \(probe.path) is not that of Time Tracker (\(InterceptedResponse.summary(response)))")
        }
        return .server(ServerFeatures(signsInWithPassword: false, signsInWithBrowser: true))
    }

    /// Looks for a server with its paths at the root of the host or below `/api`.
    ///
    /// No single response is specific to this family. A server is recognized by three responses together:
    /// - `/auth/me` without a token responds with 401 and exactly `{"error": "Unauthorized"}`.
    /// - `/health` responds as ``match(_:)`` expects.
    /// - `/auth/token` names the parameters that are missing from an empty request, in the server's order.
    ///
    /// Source: docs/protocols/time-tracker.md, Health, Token request and Rejected tokens.
    package func discover(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        var first: DiscoveryResult?
        for prefix in Self.prefixes {
            let finding = try await TimeTrackerDialect(prefix: prefix).probeAddress(connection)
            guard case .notRecognized = finding else { return finding }
            first = first ?? finding
        }
        return first ?? .notRecognized("it was not contacted", ClientResponse(status: .notFound))
    }

    private func probeAddress(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        let nobody = try await connection.send(identity)
        guard nobody.status == .unauthorized, (try? JSONValue(parsing: nobody.body)) == ["error": "Unauthorized"] else {
            return .notRecognized(
                "it responded to \(identity.path) with \(InterceptedResponse.summary(nobody))", nobody)
        }
        let health = try await connection.send(probe)
        guard case .server(var features) = match(health) else {
            return .notRecognized(
                "its response to \(probe.path) is not that of Time Tracker "
                    + "(\(InterceptedResponse.summary(health)))", health)
        }
        let exchange = try await connection.send(
            DialectRequest(.post, tokenPath, headers: Self.headers, body: Array("{}".utf8)))
        switch (exchange.status.rawValue, errorMessage(in: exchange)) {
        case (400, "Missing required parameters: code, state, redirect_uri"): break
        // Before the first sign-in the server contacts its identity provider before it checks the parameters.
        case (500, let message?) where message.hasPrefix("Failed to exchange token"):
            features.warnings.append("The server cannot reach its identity provider: \(SanitizedText.clean(message)).")
        case (404, "Endpoint not found"):
            features.signsInWithBrowser = false
        case (408, _), (429, _), (502...504, _):
            // The previous two responses were those of a Time Tracker server.
            throw LatchError(
                .serverError,
                "\(connection.address) is a Time Tracker server, but \(tokenPath) fails "
                    + "(\(InterceptedResponse.summary(exchange))). Try again later.",
                retryAfter: retryDelay(after: exchange))
        default:
            return .notRecognized(
                "its response to \(tokenPath) is not that of Time Tracker "
                    + "(\(InterceptedResponse.summary(exchange)))", exchange)
        }
        return .server(self, connection.address, features)
    }

    /// The path of the endpoint that exchanges a code for a token.
    var tokenPath: String { prefix + "/auth/token" }
}
