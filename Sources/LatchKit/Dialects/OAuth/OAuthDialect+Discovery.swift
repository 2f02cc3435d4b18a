import HTTPClient
import OAuth

extension OAuthDialect {
    /// Looks for an address that an authorization server protects, or for an authorization server at the address itself.
    ///
    /// A protected address names its authorization servers in its metadata. The first one that can be used is taken.
    /// Otherwise the address must be an issuer that publishes metadata at one of the two well-known locations.
    ///
    /// Source: RFC 9728 §3 and §7.6; RFC 8414 §3; OpenID Connect Discovery §4.
    package func discover(_ connection: UnauthenticatedConnection) async throws -> DiscoveryResult {
        let place = connection.address
        guard place.isEncrypted || place.isLoopback else {
            return .notRecognized("its metadata are accepted only over https", ClientResponse(status: .notFound))
        }
        var problem: DiscoveryResult?
        if case .found(let resource, _) = try await connection.protectedResource() {
            for issuer in resource.authorizationServers.prefix(Self.maximumServers) {
                let found = try await find(issuer, of: resource, connection)
                guard case .notRecognized = found else { return found }
                problem = problem ?? found
            }
        }
        switch try await connection.authorizationServer(of: [place.url, place.url + "/"]) {
        case .found(let server):
            var dialect = OAuthDialect()
            dialect.server = server
            return .server(dialect, place, Self.features)
        case .none(let reason, let response): return problem ?? .notRecognized(reason, response)
        }
    }

    /// How many authorization servers of a protected address are tried.
    private static let maximumServers = 4

    private func find(
        _ issuer: String, of resource: ProtectedResource, _ connection: UnauthenticatedConnection
    ) async throws -> DiscoveryResult {
        let place = connection.address
        switch try await connection.authorizationServer(of: [issuer]) {
        case .none(let reason, let response):
            return .notRecognized("its authorization server \(SanitizedText.clean(issuer)): \(reason)", response)
        case .found(let server):
            var dialect = OAuthDialect()
            dialect.server = server
            dialect.server?.scopes += resource.scopes.filter { !server.scopes.contains($0) }
            dialect.resource = resource.resource
            var features = Self.features
            let gateway = server.authorization.origin
            features.gateway = gateway
            if let warning = ForwardAuthDialect.warning(of: place, protectedBy: gateway) {
                features.warnings.append(warning)
            }
            return .server(dialect, place, features)
        }
    }
}

/// The result of a search for the metadata of an authorization server.
enum AuthorizationServerLookup: Sendable {
    /// The metadata.
    case found(AuthorizationServer)
    /// There are none that can be used, for the reason at the end of a sentence.
    case none(String, ClientResponse)
}

extension UnauthenticatedConnection {
    /// Requests the metadata of an authorization server from both well-known locations.
    ///
    /// The document of OAuth is used. That of OpenID Connect is used instead if there is no other, or if only that one
    /// names a userinfo endpoint.
    ///
    /// - Parameter issuers: The spellings of the issuer that are accepted. All have the same metadata URLs.
    /// - Returns: The metadata, or why there are none.
    /// - Throws: ``LatchError`` when the server does not respond; `CancellationError`.
    ///
    /// Source: RFC 8414 §3.1; OpenID Connect Discovery §4.1.
    func authorizationServer(of issuers: [String]) async throws -> AuthorizationServerLookup {
        guard let issuer = issuers.first.flatMap(OAuthEndpoint.init), issuer.isProtected, !issuer.path.contains("?")
        else { return .none("its issuer is not an https address without a query", ClientResponse(status: .notFound)) }
        let path = issuer.path.hasSuffix("/") ? String(issuer.path.dropLast()) : issuer.path
        var found: AuthorizationServer?
        var problem: AuthorizationServerLookup?
        for place in [OAuthDialect.wellKnown + path, path + "/.well-known/openid-configuration"] {
            guard let endpoint = OAuthEndpoint(issuer.origin.url + place) else { continue }
            switch try await metadata(at: endpoint, of: issuers) {
            case .found(let server):
                if server.userInfo != nil { return .found(server) }
                found = found ?? server
            case .none(let reason, let response):
                // A document that cannot be used says more than a missing one.
                if problem == nil || response.status.isSuccess { problem = .none(reason, response) }
            }
        }
        return found.map { .found($0) } ?? problem ?? .none("it has no metadata", ClientResponse(status: .notFound))
    }

    private func metadata(at place: OAuthEndpoint, of issuers: [String]) async throws -> AuthorizationServerLookup {
        let response: ClientResponse
        do {
            response = try await connection(to: place.origin).send(place.request())
        } catch let error as LatchError where error.code == .responseTooLarge {
            return .none(
                "its metadata are larger than \(OAuthEndpoint.maximumBodyBytes >> 10) KiB",
                ClientResponse(status: .ok))
        }
        guard response.status.isSuccess else {
            return .none("it has no metadata of OAuth (\(InterceptedResponse.summary(response)))", response)
        }
        do throws(LatchError) {
            return .found(try AuthorizationServer(parsing: response.body, of: issuers, at: place))
        } catch {
            return .none(error.message, response)
        }
    }
}
