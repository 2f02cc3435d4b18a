import HTTPClient
import HTTPMessages
import ServerMessages

extension RelateMailDialect {
    /// Recognizes a server by a successful JSON response with `oidcEnabled` and `features`.
    ///
    /// Source: RM-4; docs/protocols/relate-mail.md, Discovery.
    package func match(_ response: ClientResponse) -> ServerMatch {
        guard response.status.isSuccess, InterceptedResponse.isJSON(response) else {
            return .notRecognized("it responded to \(probe.path) with \(InterceptedResponse.summary(response))")
        }
        guard let found = try? JSON.decode(RelateMailDiscovery.self, from: response.body) else {
            return .notRecognized("its response to \(probe.path) is not that of a Relate Mail server")
        }
        var features = ServerFeatures(signsInWithPassword: false, signsInWithBrowser: found.oidcEnabled)
        features.signsInWithKey = true
        if !found.version.isEmpty { features.version = SanitizedText.clean(found.version) }
        return .server(features)
    }

    /// Looks for a server and, when people sign in through an identity provider, for that provider.
    ///
    /// A server is found even when its provider cannot be determined. A warning then says why only a sign-in with a key
    /// is possible.
    ///
    /// - Throws: ``LatchError/Code/invalidAddress`` for a server on another machine without TLS,
    ///   ``LatchError/Code/serverRefused`` for a server that rejects its own host name, and the errors of
    ///   ``Dialect/discover(_:)``.
    ///
    /// Source: RM-4; docs/protocols/relate-mail.md, Discovery and Sign-in configuration.
    package func discover(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        let response = try await connection.send(probe)
        if Self.refusesName(response) { throw Self.nameRefused(connection.address) }
        switch match(response) {
        case .notRecognized(let reason): return .notRecognized(reason, response)
        case .server(let features): return try await find(features, connection)
        }
    }

    /// Returns the server with its provider.
    private func find(_ found: ServerFeatures, _ connection: UnauthenticatedConnection) async throws -> DiscoveryResult
    {
        var features = found
        guard connection.address.isEncrypted || connection.address.isLoopback else {
            throw LatchError(
                .invalidAddress,
                "Invalid server URL: \(connection.address) is a Relate Mail server, which requires TLS unless it runs "
                    + "on this machine. Write https:// before its name.")
        }
        guard features.signsInWithBrowser else { return .server(self, connection.address, features) }
        let (provider, problem) = try await findProvider(connection)
        guard problem == nil, let provider else {
            features.signsInWithBrowser = false
            features.warnings.append(
                "The server announces sign-in through an identity provider, but "
                    + (problem ?? "names none.") + " Until its operator fixes this, sign in with a key.")
            return .server(self, connection.address, features)
        }
        return .server(RelateMailDialect(provider: provider, now: now), connection.address, features)
    }

    /// Returns the provider, or why there is none, as the end of a sentence.
    ///
    /// There are two sources of `config.json`: the server itself, and the program that serves the web pages and reads
    /// it from a file. Some releases put that file next to the pages.
    ///
    /// Source: docs/protocols/relate-mail.md, Sign-in configuration.
    private func findProvider(_ connection: UnauthenticatedConnection) async throws -> (
        RelateMailProvider?, problem: String?
    ) {
        var problem: String?
        for path in ["/config/config.json", "/config.json"] {
            do {
                let response = try await connection.send(DialectRequest(.get, path, headers: Self.acceptsJSON))
                guard let configuration = Self.configuration(in: response) else {
                    problem = problem ?? "\(path) does not name it (\(InterceptedResponse.summary(response)))."
                    continue
                }
                guard let provider = RelateMailProvider(configuration) else {
                    return (nil, "\(path) lacks its address or the apps' client id.")
                }
                return (provider, provider.problem.map { "this provider cannot be used: \($0)" })
            } catch let error as LatchError {
                return (nil, "\(path) cannot be read: \(error.message)")
            }
        }
        return (nil, problem)
    }

    private static func configuration(in response: ClientResponse) -> RelateMailConfiguration? {
        guard response.status.isSuccess, InterceptedResponse.isJSON(response) else { return nil }
        return try? JSON.decode(RelateMailConfiguration.self, from: response.body)
    }

    /// Returns whether the server refuses every request with this host name, because its `AllowedHosts` does not
    /// contain it.
    ///
    /// Source: docs/protocols/relate-mail.md, Host filtering; `HostFilteringMiddleware` of ASP.NET Core.
    static func refusesName(_ response: ClientResponse) -> Bool {
        response.status == .badRequest
            && response.body.prefix(4_096).firstRange(of: Array("Invalid Hostname".utf8)) != nil
    }

    static func nameRefused(_ server: ServerAddress) -> LatchError {
        LatchError(
            .serverRefused,
            "\(server) refuses its own name: its setting AllowedHosts does not contain '\(server.host)'. "
                + "Ask its operator to add it.")
    }
}
