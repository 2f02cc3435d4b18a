extension TimeTrackerDialect {
    /// `GET /health`.
    public var probe: DialectRequest { DialectRequest(.get, prefix + "/health", headers: Self.headers) }

    /// A 2xx with `{"status": "ok", "timestamp"}`; many servers say so, therefore ``find(_:)`` asks more.
    public func match(_ answer: ClientResponse) -> ServerMatch {
        let json = try? JSONValue(parsing: answer.body)
        guard answer.status.isSuccess, json?["status"]?.string == "ok", json?["timestamp"]?.string != nil else {
            return .notRecognized(
                "its answer to \(probe.path) is not Time Tracker's (\(InterceptedResponse.sketch(answer)))")
        }
        return .server(ServerFeatures(signsInWithPassword: false, signsInWithBrowser: true))
    }

    /// Looks for the paths at the top and below `/api`.
    ///
    /// No single answer of this family is its own. A server is one when all three are: without a token `/auth/me` answers
    /// 401 with `{"error": "Unauthorized"}` and nothing else in it, `/health` is as ``recognise(_:)`` wants it, and
    /// `/auth/token` names what an empty request lacks, in its order.
    ///
    /// Source: contract of Time Tracker, (a).
    public func discover(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        var first: DiscoveryResult?
        for prefix in Self.prefixes {
            let finding = try await TimeTrackerDialect(prefix: prefix).look(connection)
            guard case .notRecognized = finding else { return finding }
            first = first ?? finding
        }
        return first ?? .notRecognized("it was not asked", ClientResponse(status: .notFound))
    }

    private func look(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        let nobody = try await connection.send(identity)
        guard nobody.status == .unauthorized, (try? JSONValue(parsing: nobody.body)) == ["error": "Unauthorized"] else {
            return .notRecognized("it answered \(InterceptedResponse.sketch(nobody)) to \(identity.path)", nobody)
        }
        let health = try await connection.send(probe)
        guard case .server(var features) = match(health) else {
            return .notRecognized(
                "its answer to \(probe.path) is another's (\(InterceptedResponse.sketch(health)))", health)
        }
        let exchange = try await connection.send(
            DialectRequest(.post, tokenPath, headers: Self.headers, body: Array("{}".utf8)))
        switch (exchange.status.rawValue, errorMessage(in: exchange)) {
        case (400, "Missing required parameters: code, state, redirect_uri"): break
        // Before the first sign-in the server asks its provider first.
        case (500, let words?) where words.hasPrefix("Failed to exchange token"):
            features.warnings.append("It does not reach its identity provider: \(SanitizedText.clean(words)).")
        case (404, "Endpoint not found"):
            features.signsInWithBrowser = false
        case (408, _), (429, _), (502...504, _):
            // The two answers before this one were those of a Time Tracker server.
            throw LatchError(
                .serverError,
                "\(connection.address) is a server of Time Tracker, and \(tokenPath) there fails "
                    + "(\(InterceptedResponse.sketch(exchange))). Try again later.",
                retryAfter: retryDelay(after: exchange))
        default:
            return .notRecognized(
                "its answer to \(tokenPath) is another's (\(InterceptedResponse.sketch(exchange)))", exchange)
        }
        return .server(self, connection.address, features)
    }

    /// Where a code becomes a token.
    var tokenPath: String { prefix + "/auth/token" }
}
