extension ImmichDialect {
    /// How long a server has to say where its API is.
    static let wellKnownBound = Duration.seconds(5)

    /// Asks the address where the API is, and there for a pong: where the server says, then at `/api`.
    ///
    /// - Throws: ``LatchError/Code/serverError`` when a proxy says that the server behind it is down; what `Dialect` says.
    ///
    /// Source: IM-3, IM-4, IM-18; contract of Immich, b.12, b.24 and c.
    public func find(_ line: ServerLine) async throws -> Finding {
        let usual = ImmichPlace.usual(line.address)
        guard let told = try await place(line), told != usual else { return try await look(usual, line) }
        do {
            let finding = try await look(told, line)
            if case .server = finding { return finding }
        } catch let error as LatchError where error.code != .cancelled {
            // What it says of itself may be wrong, as behind a proxy that moved it; the address itself may be right.
            if case .server(let dialect, let place, let features) = try await look(usual, line) {
                return .server(dialect, place, features)
            }
            throw error
        }
        return try await look(usual, line)
    }

    /// What the server says of its API's place; nil when it says nothing, for whatever reason.
    private func place(_ line: ServerLine) async throws -> ImmichPlace? {
        let question = DialectRequest(.get, "/.well-known/immich", headers: Self.acceptsJSON)
        let answer = try await Self.tolerating {
            try await line.line(to: line.address, timeout: Self.wellKnownBound).send(question)
        }
        return answer.flatMap { ImmichPlace($0, from: line.address) }
    }

    private func look(_ place: ImmichPlace, _ asked: ServerLine) async throws -> Finding {
        let dialect = ImmichDialect(api: place.api)
        let line = asked.line(to: place.address)
        let answer = try await line.send(dialect.probe)
        let isForeign = ForeignAnswer.reason(for: answer, from: place.address, expectsJSON: true) != nil
        if [502, 503, 504].contains(answer.status.rawValue), !isForeign { throw Self.down(place.address, answer) }
        switch dialect.recognise(answer) {
        case .stranger(let reason): return .stranger(reason, answer)
        case .server:
            var features = try await dialect.features(line)
            if place.address != asked.address {
                features.warnings.insert(
                    "\(asked.address) says that its API is at \(place.address); that is the server that you sign in to.",
                    at: 0)
            }
            return .server(dialect, place.address, features)
        }
    }

    /// What the server tells of itself, each question for itself: what is not answered is not known.
    private func features(_ line: ServerLine) async throws -> ServerFeatures {
        async let version = ask("/server/version", ImmichVersion.self, line)
        async let config = ask("/server/config", ImmichConfig.self, line)
        async let features = ask("/server/features", ImmichFeatures.self, line)
        return ServerFeatures(try await features, try await config, try await version, at: line.address)
    }

    private func ask<Message: Decodable & Sendable>(
        _ path: String, _ type: Message.Type, _ line: ServerLine
    ) async throws -> Message? {
        let question = request(.get, path)
        guard let answer = try await Self.tolerating({ try await line.send(question) }), answer.status.isSuccess else {
            return nil
        }
        return try? JSON.decode(type, from: answer.body)
    }

    /// The answer, or nil when nobody answered.
    ///
    /// - Throws: `CancellationError` only.
    static func tolerating(_ body: () async throws -> ClientResponse) async throws -> ClientResponse? {
        do {
            return try await body()
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as LatchError where error.code == .cancelled {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    private static func down(_ server: ServerAddress, _ answer: ClientResponse) -> LatchError {
        LatchError(
            .serverError,
            "\(server) is down: the proxy in front of it answers, the server behind does not (status \(answer.status)). "
                + "Try again later.")
    }
}
