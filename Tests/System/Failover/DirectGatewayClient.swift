import HTTPClient
import HTTPMessages
import TestSupport

/// Asks each gateway directly, without a proxy.
struct DirectGatewayClient: Sendable {
    /// The addresses of the gateways, such as `http://127.80.1.11:2283`.
    let addresses: [String]
    let client: HTTPClient

    /// Sends a request to a gateway: one that changes something with a form, and one that reads without.
    func send(
        _ path: String, at address: String, token: String? = nil, form: [(String, String)]? = nil
    ) async throws -> ClientResponse {
        var headers: HTTPHeaders = ["Host": ManyMachines.host]
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if form != nil { headers["Content-Type"] = FormURLEncoded.mediaType }
        return try await client.send(
            ClientRequest(
                method: form == nil ? .get : .post, url: address + path, headers: headers,
                body: form.map { Array(FormURLEncoded.encode($0).utf8) } ?? [], timeout: SuccessTimeout.duration))
    }

    /// Returns the status of `/api/me` with a token, or nil when the gateway did not answer.
    func status(_ token: String, at address: String) async -> HTTPStatus? {
        try? await send("/api/me", at: address, token: token).status
    }

    /// Returns the answer of a gateway to a sign-in.
    func signIn(_ email: String, _ password: String, at address: String) async throws -> ClientResponse {
        try await send("/api/auth/mobile/login", at: address, form: [("username", email), ("password", password)])
    }

    /// Ends a session at a gateway.
    func signOut(_ token: String, at address: String) async throws -> ClientResponse {
        try await send("/api/auth/mobile/logout", at: address, token: token, form: [])
    }

    /// Whether every gateway is ready.
    func areReady() async -> Bool {
        for address in addresses {
            let response = try? await client.send(ClientRequest(url: address + "/readyz", timeout: .seconds(10)))
            if response?.status != .ok { return false }
        }
        return true
    }
}
