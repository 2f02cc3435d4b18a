import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

extension OAuthRoutes {
    private var settings: RegistrationSettings { services.settings.authorizationServer.registration }

    /// Adds the routes with which clients register themselves, if the settings allow it.
    ///
    /// Source: RFC 7591; RFC 7592.
    func addRegistration(to router: inout Router) {
        guard settings.isEnabled else { return }
        addCrossOrigin(Self.registration, to: &router) { try await $0.register($1) }
        addRegistered(.get, to: &router) { routes, _, client, token in
            try routes.information(client, token)
        }
        addRegistered(.put, to: &router) { try await $0.replace($1, $2, $3) }
        addRegistered(.delete, to: &router) { routes, request, client, _ in
            try await routes.unregister(request, client)
        }
    }

    /// Adds a route about one registered client, which sends the token of its registration.
    private func addRegistered(
        _ method: HTTPMethod, to router: inout Router,
        handler: @escaping @Sendable (Self, ServerRequest, RegisteredClient, Secret) async throws -> ServerResponse
    ) {
        router.on(method, prefix + Self.registration + "/{id}", parameters: String.self) { request, id in
            await response(to: request) {
                if let refusal = limited(request) { return refusal }
                guard let token = RequestTokens(request, cookie: nil).bearer.map(Secret.init), id.utf8.count <= 255,
                    let client = try await services.clients.client(id), let registration = client.registration,
                    registration.tokenHash == SHA256.digest(token)
                else { return Self.challenge("invalid_token") }
                return try await handler(self, request, client, token)
            }
        }
    }

    /// `POST /oauth2/register`: stores a client that registers itself.
    ///
    /// Source: RFC 7591 §3.
    private func register(_ request: ServerRequest) async throws -> ServerResponse {
        if let secret = settings.secret {
            let sent = RequestTokens(request, cookie: nil).bearer
            guard let sent, Secret(sent) == secret else { return Self.challenge(sent == nil ? nil : "invalid_token") }
        }
        let metadata = try metadata(try Self.object(request))
        let token = Self.randomSecret()
        let secret = metadata.method.hasSecret ? Self.randomSecret() : nil
        let client = RegisteredClient(
            id: RegisteredClient.newID(), name: metadata.name, secretHash: secret.map { SHA256.digest($0) },
            redirects: metadata.redirects, allowsDevice: metadata.allowsDevice, created: services.now(),
            keys: metadata.keys,
            registration: ClientRegistration(
                tokenHash: SHA256.digest(token), method: metadata.method,
                approval: settings.requiresApproval ? .waiting : .notRequired),
            signOut: ClientSignOutSettings(redirects: metadata.signOutRedirects), settings: metadata.settings)
        do {
            let address = AddressKey(services.proxies.client(of: request))
            let removed = try await services.clients.register(
                client, from: address,
                isOfOtherPage: services.siteCheck.kind(.address, of: request) == .otherPages,
                maximum: settings.maximum)
            if let removed {
                record(.clientRemoved, removed, request, "displaced")
            }
        } catch let error as GatewayError where error.code == .tooManyClients {
            return TokenResponses.refusal(
                .serviceUnavailable, error: "temporarily_unavailable", sentence: error.message
            ).retry(after: .seconds(600))
        }
        record(.clientAdded, client.id, request)
        return try information(client, token, secret, refused: metadata.refusedRedirects, status: .created)
    }

    /// `PUT /oauth2/register/{id}`: replaces the metadata of a client.
    ///
    /// Source: RFC 7592 §2.2.
    private func replace(
        _ request: ServerRequest, _ client: RegisteredClient, _ token: Secret
    ) async throws -> ServerResponse {
        let value = try Self.object(request)
        guard value["client_id"]?.string.map({ ExactText($0) == ExactText(client.id) }) ?? false else {
            throw Self.refusal(.metadata("The client_id must be that of the address."))
        }
        if let sent = value["client_secret"], sent.string.map({ SHA256.digest($0) }) != client.secretHash {
            throw Self.refusal(.metadata("The client_secret must be that of the client, or be left out."))
        }
        let metadata = try metadata(value)
        let secret = metadata.method.hasSecret && client.secretHash == nil ? Self.randomSecret() : nil
        let hash = metadata.method.hasSecret ? secret.map { SHA256.digest($0) } ?? client.secretHash : nil
        let changed = RegisteredClient(
            id: client.id, name: metadata.name, secretHash: hash, redirects: metadata.redirects,
            allowsDevice: metadata.allowsDevice, created: client.created, keys: metadata.keys,
            registration: ClientRegistration(tokenHash: SHA256.digest(token), method: metadata.method),
            signOut: ClientSignOutSettings(redirects: metadata.signOutRedirects), settings: metadata.settings)
        guard
            let stored = try await services.clients.update(changed, requiresApproval: settings.requiresApproval)
        else { return Self.challenge("invalid_token") }
        return try information(stored, token, secret, refused: metadata.refusedRedirects)
    }

    /// `DELETE /oauth2/register/{id}`: removes a client, what people allowed it, and its sessions.
    ///
    /// Source: RFC 7592 §2.3.
    private func unregister(_ request: ServerRequest, _ client: RegisteredClient) async throws -> ServerResponse {
        do {
            try await services.clients.remove(client.id)
        } catch let error as GatewayError where error.code == .unknownClient {
            return Self.challenge("invalid_token")
        }
        record(.clientRemoved, client.id, request)
        return ServerResponse(status: .noContent, headers: ["Cache-Control": "no-store"])
    }

    private func record(
        _ kind: AuditEvent.Kind, _ client: String, _ request: ServerRequest, _ reason: StaticString = "by-itself"
    ) {
        services.audit.record(
            AuditEvent(
                kind, reason: reason, address: services.proxies.client(of: request).description,
                request: request.id, client: client))
    }

    /// Returns the registration of a client. The secret is only in the response that creates it. The addresses that were
    /// refused are in `refused_redirect_uris`.
    ///
    /// Source: RFC 7591 §3.2.1; RFC 7592 §3.
    private func information(
        _ client: RegisteredClient, _ token: Secret, _ secret: Secret? = nil,
        refused: [(redirect: String, reason: String)] = [], status: HTTPStatus = .ok
    ) throws -> ServerResponse {
        func texts(_ list: [String]) -> JSONValue { .array(list.map { .string($0) }) }
        let members: [JSONValue.Member?] = [
            .init("client_id", .string(client.id)),
            client.created.map { .init("client_id_issued_at", .number($0.timeIntervalSince1970.rounded(.down))) },
            secret.map { .init("client_secret", .string($0.reveal())) },
            client.secretHash.map { _ in .init("client_secret_expires_at", 0) },
            .init("registration_access_token", .string(token.reveal())),
            .init("registration_client_uri", .string(issuer + prefix + Self.registration + "/" + client.id)),
            .init("client_name", .string(client.name)),
            client.redirects.isEmpty ? nil : .init("redirect_uris", texts(client.redirects)),
            refused.isEmpty
                ? nil
                : .init(
                    "refused_redirect_uris",
                    .array(
                        refused.map {
                            .object([
                                .init("redirect_uri", .string($0.redirect)),
                                .init("error_description", .string("This address is not valid: \($0.reason).")),
                            ])
                        })),
            client.signOut.redirects.isEmpty
                ? nil : .init("post_logout_redirect_uris", texts(client.signOut.redirects)),
            .init("grant_types", texts(ClientMetadata.grants(of: client))),
            .init("response_types", texts(client.redirects.isEmpty ? [] : ["code"])),
            // The scopes that a client sends are not read: each may ask people for all that its settings allow.
            .init("scope", .string(client.settings.allowed(supportedScopes).joined(separator: " "))),
            client.settings.requiresPushedRequests ? .init("require_pushed_authorization_requests", true) : nil,
            .init("token_endpoint_auth_method", .string((client.registration?.method ?? .none).rawValue)),
            try client.keys.map { .init("jwks", try JSONValue(parsing: Array($0.text.utf8))) },
        ]
        return ServerResponse(
            status: status, headers: .privateJSON, body: JSONValue.object(members.compactMap { $0 }).encoded())
    }

    private static func randomSecret() -> Secret { Secret(Base64URL.encode(SecureRandom.bytes(32))) }

    private static func refusal(_ invalid: ClientMetadata.Invalid) -> Refusal {
        Refusal(response: TokenResponses.refusal(error: invalid.code, sentence: invalid.sentence))
    }

    /// Reads metadata whose addresses the settings allow, and which are on no host of this server.
    private func metadata(_ value: JSONValue) throws(Refusal) -> ClientMetadata {
        do throws(ClientMetadata.Invalid) {
            let metadata = try ClientMetadata(value)
            let addresses = metadata.redirects + metadata.signOutRedirects
            guard addresses.allSatisfy({ services.settings.ownHost(ofRedirect: $0) == nil }) else {
                throw ClientMetadata.Invalid.redirect(
                    "One of the redirect_uris or post_logout_redirect_uris is not valid: it is on the host of this "
                        + "server or on one that it protects.")
            }
            guard addresses.allSatisfy(settings.allows) else {
                throw ClientMetadata.Invalid.redirect(
                    "This server does not allow clients to register one of the addresses. Ask its administrators.")
            }
            return metadata
        } catch {
            throw Self.refusal(error)
        }
    }

    /// Reads a body with one JSON object.
    private static func object(_ request: ServerRequest) throws(Refusal) -> JSONValue {
        guard request.mediaType == JSON.mediaType else {
            throw Refusal(
                response: TokenResponses.refusal(
                    .unsupportedMediaType, error: "invalid_client_metadata",
                    description: "The body's Content-Type must be application/json."))
        }
        guard let value = try? JSONValue(parsing: request.body, repairsText: false), value.members != nil else {
            throw refusal(.metadata("The body must be a JSON object."))
        }
        return value
    }
}

extension ClientAuthenticationMethod {
    /// Whether the client has a secret.
    var hasSecret: Bool { self == .secretBasic || self == .secretPost }
}
