extension TimeTrackerDialect {
    /// `GET /health`.
    public var probe: DialectRequest { DialectRequest(.get, prefix + "/health", headers: Self.headers) }

    /// A 2xx with `{"status": "ok", "timestamp"}`; many servers say so, therefore ``find(_:)`` asks more.
    public func recognise(_ answer: ClientResponse) -> Recognition {
        let json = try? JSONValue(parsing: answer.body)
        guard answer.status.isSuccess, json?["status"]?.string == "ok", json?["timestamp"]?.string != nil else {
            return .stranger("its answer to \(probe.path) is not Time Tracker's (\(ForeignAnswer.sketch(answer)))")
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
    public func find(_ line: ServerLine) async throws -> Finding {
        var first: Finding?
        for prefix in Self.prefixes {
            let finding = try await TimeTrackerDialect(prefix: prefix).look(line)
            guard case .stranger = finding else { return finding }
            first = first ?? finding
        }
        return first ?? .stranger("it was not asked", ClientResponse(status: .notFound))
    }

    private func look(_ line: ServerLine) async throws -> Finding {
        let nobody = try await line.send(identity)
        guard nobody.status == .unauthorized, (try? JSONValue(parsing: nobody.body)) == ["error": "Unauthorized"] else {
            return .stranger("it answered \(ForeignAnswer.sketch(nobody)) to \(identity.path)", nobody)
        }
        let health = try await line.send(probe)
        guard case .server(var features) = recognise(health) else {
            return .stranger("its answer to \(probe.path) is another's (\(ForeignAnswer.sketch(health)))", health)
        }
        let exchange = try await line.send(
            DialectRequest(.post, tokenPath, headers: Self.headers, body: Array("{}".utf8)))
        switch (exchange.status.rawValue, words(in: exchange)) {
        case (400, "Missing required parameters: code, state, redirect_uri"): break
        // Before the first sign-in the server asks its provider first.
        case (500, let words?) where words.hasPrefix("Failed to exchange token"):
            features.warnings.append("It does not reach its identity provider: \(ServerText.clean(words)).")
        case (404, "Endpoint not found"):
            features.signsInWithBrowser = false
        case (408, _), (429, _), (502...504, _):
            // The two answers before this one were those of a Time Tracker server.
            throw LatchError(
                .serverError,
                "\(line.address) is a server of Time Tracker, and \(tokenPath) there fails "
                    + "(\(ForeignAnswer.sketch(exchange))). Try again later.", retryAfter: pause(after: exchange))
        default:
            return .stranger("its answer to \(tokenPath) is another's (\(ForeignAnswer.sketch(exchange)))", exchange)
        }
        return .server(self, line.address, features)
    }

    /// Where a code becomes a token.
    var tokenPath: String { prefix + "/auth/token" }
}
