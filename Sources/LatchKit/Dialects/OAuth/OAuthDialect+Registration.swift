import Crypto
import HTTPMessages
import OAuth

extension OAuthDialect {
    /// Returns the client for a sign-in: the one that the person gave, the one of an earlier sign-in at this server, or a
    /// new one that the server registers.
    ///
    /// An earlier client is used only for the same redirect address, and while the server knows it.
    ///
    /// - Parameters:
    ///   - given: The client id that the person gave. Nil when there is none.
    ///   - address: The redirect address. Nil for a sign-in on another device, which has none.
    ///   - earlierDetails: The stored details of the accounts at the server, the latest first.
    ///   - server: The authorization server.
    ///   - connection: The connection.
    /// - Returns: The client.
    /// - Throws: ``LatchError/Code/clientIDRequired``, ``LatchError/Code/invalidRequest`` and the errors of a
    ///   registration; `CancellationError`.
    func client(
        _ given: String?, redirect address: String?, earlierDetails: [[String: String]], at server: AuthorizationServer,
        _ connection: UnauthenticatedConnection
    ) async throws -> OAuthClient {
        let redirect = address.map(Self.withoutPort)
        if let id = given {
            guard Self.isClientID(id) else {
                throw LatchError(.invalidRequest, "The client id is empty, too long or not ASCII. Check it.")
            }
            return OAuthClient(id: id, redirect: redirect)
        }
        for details in earlierDetails {
            guard let earlier = OAuthDialect().with(details: details) as? OAuthDialect, let client = earlier.client,
                earlier.server?.issuer == server.issuer, client.redirect == redirect
            else { continue }
            if try await isKnown(client, redirect: address, at: server, connection) { return client }
        }
        guard let endpoint = server.registration else { throw Self.clientIDRequired(at: server, redirect) }
        return try await register(address, at: endpoint, of: server, connection)
    }

    /// Returns whether the server still knows a client, when it could register a new one. Sends an invented code, which
    /// the server must refuse in any case; its error says what it refuses. The grant is the one that the client is
    /// registered for, because the server refuses any other with `unauthorized_client`.
    ///
    /// Source: RFC 6749 §5.2, `invalid_client`.
    private func isKnown(
        _ client: OAuthClient, redirect: String?, at server: AuthorizationServer,
        _ connection: UnauthenticatedConnection
    ) async throws -> Bool {
        guard server.registration != nil else { return true }
        let invented = Base64URL.encode(SecureRandom.bytes(24))
        let form =
            if let redirect {
                [
                    ("grant_type", "authorization_code"), ("code", invented), ("redirect_uri", redirect),
                    ("code_verifier", PKCE.Verifier().secret.reveal()),
                ]
            } else {
                [("grant_type", DeviceGrant.type), ("device_code", invented)]
            }
        let response = try await connection.send(server.token.post(form + [("client_id", client.id)]))
        return !["invalid_client", "unauthorized_client"].contains(Self.tokenError(response)?.error)
    }

    /// Registers this program as a public native client. Without a redirect address, for the device grant.
    ///
    /// A loopback address is registered with the port of this sign-in and without a port, because servers differ in how
    /// they compare it.
    ///
    /// Source: RFC 7591 §2 and §3; RFC 8252 §7.3 and §8.4.
    private func register(
        _ redirect: String?, at endpoint: OAuthEndpoint, of server: AuthorizationServer,
        _ connection: UnauthenticatedConnection
    ) async throws -> OAuthClient {
        let stable = redirect.map(Self.withoutPort)
        let redirects = (stable == redirect ? [redirect] : [redirect, stable]).compactMap(\.self)
        let grant = redirect == nil ? DeviceGrant.type : "authorization_code"
        var request = endpoint.request(.post)
        request.headers["Content-Type"] = JSON.mediaType
        var members: [JSONValue.Member] = [
            .init("client_name", .string("\(connection.device.program) (Latchstring)")),
            .init("application_type", "native"),
            .init("grant_types", [.string(grant), "refresh_token"]),
            .init("response_types", redirect == nil ? [] : ["code"]), .init("token_endpoint_auth_method", "none"),
        ]
        if redirect != nil { members.append(.init("redirect_uris", .array(redirects.map { .string($0) }))) }
        if !server.scopes.isEmpty {
            members.append(.init("scope", .string(server.scopes.joined(separator: " "))))
        }
        request.body = JSONValue.object(members).encoded()
        let response = try await connection.send(request)
        // The server lets only selected programs register, or none for this grant.
        if (400...405).contains(response.status.rawValue), InterceptedResponse.isJSON(response) {
            throw Self.clientIDRequired(
                at: server, stable,
                because: SanitizedText.clause(errorMessage(in: response) ?? InterceptedResponse.summary(response)))
        }
        guard response.status.isSuccess, let registered = try? JSONValue(parsing: response.body),
            let id = registered["client_id"]?.string, Self.isClientID(id)
        else { throw signInFailure(response, at: endpoint.origin) }
        guard registered["token_endpoint_auth_method"].map({ $0 == "none" }) ?? (registered["client_secret"] == nil)
        else {
            throw LatchError(
                .serverRefused,
                "Login failed: \(endpoint.origin) registered this program only with a secret, which a program cannot "
                    + "keep. Ask its operator for the client id of a public client.")
        }
        return OAuthClient(id: id, redirect: stable)
    }

    /// The error for a server that does not register programs, or not this one because of `refusal`.
    private static func clientIDRequired(
        at server: AuthorizationServer, _ redirect: String?, because refusal: String? = nil
    ) -> LatchError {
        let problem = refusal.map { "does not register this program (\($0))" } ?? "does not register programs"
        let needs =
            redirect == nil
            ? "that may use the device grant" : "with the redirect address http://127.0.0.1/callback and any port"
        return LatchError(
            .clientIDRequired,
            "Login failed: \(server.authorization.origin) \(problem), so it needs a client id. Ask its "
                + "operator for the client id of a public native client \(needs), and give it.")
    }

    /// The error for a server that does not know the client id.
    static func unknownClient(at server: ServerAddress) -> LatchError {
        LatchError(
            .clientIDRequired,
            "Login failed: \(server) does not know this client id. Check it, or ask the operator of the server for the "
                + "client id of a public native client.")
    }

    /// Whether a text can be a client id.
    ///
    /// Source: RFC 6749 appendix A.1.
    static func isClientID(_ text: String) -> Bool {
        (1...1_024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Returns a loopback redirect address without its port, and any other unchanged.
    private static func withoutPort(_ redirect: String) -> String {
        let loopback = "http://127.0.0.1:"
        guard redirect.hasPrefix(loopback) else { return redirect }
        return String(loopback.dropLast() + redirect.dropFirst(loopback.count).drop { $0 != "/" })
    }
}
