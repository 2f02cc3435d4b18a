import Crypto
import HTTPClient
import HTTPMessages
import OAuth

/// A sign-in on another device at a gateway that serves the family of the server. The gateway issues the family's own
/// token.
///
/// Source: docs/authorization-server.md, Devices without a browser.
struct GatewayDeviceSignIn: Sendable {
    let server: Server
    let connection: UnauthenticatedConnection

    /// Requests the codes.
    ///
    /// - Throws: ``LatchError/Code/deviceLoginDisabled`` when the server is no gateway that offers it for the family; the
    ///   errors of the network; `CancellationError`.
    func begin(clientID: String?, scopes: [String]?) async throws -> PendingDeviceSignIn {
        let dialect = server.dialect
        guard clientID == nil else {
            throw LatchError(
                .invalidRequest,
                "Login failed: \(server.address) speaks \(dialect.title), which needs no client id. Leave it out.")
        }
        let (gateway, endpoint) = try await find()
        var request = endpoint.post(
            [("client_id", DeviceGrant.client), (DeviceGrant.dialectParameter, dialect.id.rawValue)]
                + (scopes.map { [("scope", $0.joined(separator: " "))] } ?? []))
        describeDevice(&request)
        let codes = try await PendingDeviceSignIn.codes(request, from: endpoint.origin, connection)
        var exchange = gateway.token.post([
            ("grant_type", DeviceGrant.type), ("client_id", DeviceGrant.client),
            ("device_code", codes.deviceCode.reveal()),
        ])
        describeDevice(&exchange)
        return PendingDeviceSignIn(
            place: gateway.token.origin, codes: codes, request: exchange, proofs: nil
        ) { response in
            try Self.grant(from: response, of: gateway.token.origin)
        }
    }

    /// Returns the authorization server at the origin of the server, or of the gateway that protects it.
    ///
    /// - Throws: As ``begin(clientID:scopes:)``.
    func find() async throws -> (AuthorizationServer, OAuthEndpoint) {
        let place = (server.dialect as? ForwardAuthDialect)?.gateway ?? server.address
        let origin = place.origin
        switch try await connection.authorizationServer(of: [origin, origin + "/"]) {
        case .none(let reason, _): throw PendingDeviceSignIn.notOffered(by: place, reason)
        case .found(let found):
            guard let endpoint = found.deviceAuthorization, found.deviceDialects.contains(server.dialect.id.rawValue)
            else {
                throw PendingDeviceSignIn.notOffered(
                    by: place, "its operator can allow it with oauth.device_dialects of latchd")
            }
            return (found, endpoint)
        }
    }

    /// Adds the name and the system of this device, as a sign-in with a password does.
    private func describeDevice(_ request: inout DialectRequest) {
        request.headers["deviceModel"] = connection.device.model
        request.headers["deviceType"] = connection.device.type
    }

    private static func grant(from response: ClientResponse, of place: ServerAddress) throws(LatchError) -> Grant {
        guard let tokens = OAuthDialect().tokens(in: response, allowsBound: true),
            let value = try? JSONValue(parsing: response.body)
        else {
            throw InterceptedResponse.noToken(in: response, from: place)
        }
        var grant = Grant(token: tokens.accessToken, lifetime: tokens.expiresIn)
        grant.isBound = tokens.isBound
        if let id = value[DeviceGrant.keyMember]?.string {
            grant.keyID = id
            grant.scopes = tokens.scope?.split(separator: " ").map(String.init)
        }
        return grant
    }
}
