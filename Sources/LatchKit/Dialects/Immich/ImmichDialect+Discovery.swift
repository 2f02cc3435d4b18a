import HTTPClient
import HTTPMessages
import ServerMessages

extension ImmichDialect {
    /// The timeout of the request for the location of the API.
    static let wellKnownBound = Duration.seconds(5)

    /// Looks for a server. Requests the location of the API and sends a ping to it, first at the announced location and
    /// then at `/api`.
    ///
    /// - Throws: ``LatchError/Code/serverError`` when a proxy responds that the server behind it is down, and the
    ///   errors of ``Dialect/discover(_:)``.
    ///
    /// Source: IM-3, IM-4, IM-18; docs/protocols/immich.md, Finding the server.
    package func discover(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        let usual = ImmichEndpoint.usual(connection.address)
        guard let announced = try await place(connection), announced != usual else {
            return try await probeAddress(usual, connection)
        }
        do {
            let finding = try await probeAddress(announced, connection)
            if case .server = finding { return finding }
        } catch let error as LatchError where error.code != .cancelled {
            // The announced location may be wrong, for example behind a proxy that moved the API. The address itself
            // may still be right.
            if case .server(let dialect, let place, let features) = try await probeAddress(usual, connection) {
                return .server(dialect, place, features)
            }
            throw error
        }
        return try await probeAddress(usual, connection)
    }

    /// Returns the announced location of the API. Nil when it is unavailable for any reason.
    private func place(_ connection: UnauthenticatedConnection) async throws -> ImmichEndpoint? {
        let question = DialectRequest(.get, "/.well-known/immich", headers: Self.acceptsJSON)
        let response = try await Self.tolerating {
            try await connection.connection(to: connection.address, timeout: Self.wellKnownBound).send(question)
        }
        return response.flatMap { ImmichEndpoint($0, from: connection.address) }
    }

    private func probeAddress(_ place: ImmichEndpoint, _ asked: UnauthenticatedConnection) async throws
        -> DiscoveryResult
    {
        let dialect = ImmichDialect(api: place.api)
        let connection = asked.connection(to: place.address)
        let response = try await connection.send(dialect.probe)
        let isForeign = InterceptedResponse.reason(for: response, from: place.address, expectsJSON: true) != nil
        if [502, 503, 504].contains(response.status.rawValue), !isForeign { throw Self.down(place.address, response) }
        switch dialect.match(response) {
        case .notRecognized(let reason): return .notRecognized(reason, response)
        case .server:
            var features = try await dialect.features(connection)
            if place.address != asked.address {
                features.warnings.insert(
                    "\(asked.address) says that its API is at \(place.address). You sign in to that server.", at: 0)
            }
            return .server(dialect, place.address, features)
        }
    }

    /// Requests the features of the server with independent requests. A feature whose request fails is unknown.
    private func features(_ connection: UnauthenticatedConnection) async throws -> ServerFeatures {
        async let version = ask("/server/version", as: ImmichVersion.self, with: connection)
        async let config = ask("/server/config", as: ImmichConfig.self, with: connection)
        async let features = ask("/server/features", as: ImmichFeatures.self, with: connection)
        return ServerFeatures(
            features: try await features, config: try await config, version: try await version, at: connection.address)
    }

    private func ask<Message: Decodable & Sendable>(
        _ path: String, as type: Message.Type, with connection: UnauthenticatedConnection
    ) async throws -> Message? {
        let question = request(.get, path)
        guard let response = try await Self.tolerating({ try await connection.send(question) }),
            response.status.isSuccess
        else {
            return nil
        }
        return try? JSON.decode(type, from: response.body)
    }

    /// Returns the response. Nil when the request failed.
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

    private static func down(_ server: ServerAddress, _ response: ClientResponse) -> LatchError {
        LatchError(
            .serverError,
            "\(server) is down: the proxy in front of it responds, but the server does not (status \(response.status)). "
                + "Try again later.")
    }
}
