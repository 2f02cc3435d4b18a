import Crypto
package import FoundationEssentials
import HTTPClient
import HTTPMessages

/// The dialect for any server behind a `latchd` gateway. The gateway signs people in; the protocol of the server itself
/// does not matter.
///
/// Requests for sign-in, renewal, identity and sign-out go to the gateway, which uses the protocol of Onyx. All other
/// requests go to the protected address. The token is sent to these two and nowhere else.
///
/// Source: RFC 9728; docs/any-backend.md.
package struct ForwardAuthDialect: PasswordDialect {
    /// The address of the gateway. Nil before a server was found.
    let gateway: ServerAddress?
    let inner = OnyxDialect()

    /// Makes the dialect.
    package init() { gateway = nil }

    init(gateway: ServerAddress?) { self.gateway = gateway }

    /// `latchd`.
    package var id: DialectID { DialectID(rawValue: "latchd") }
    /// `latchd (forward authentication)`.
    package var title: String { "latchd (forward authentication)" }
    /// The address of the gateway, under the key `gateway`.
    package var details: [String: String] { gateway.map { [Self.gatewayKey: $0.url] } ?? [:] }
    /// Returns the dialect of a server behind the gateway in `details`.
    package func with(details: [String: String]) -> any Dialect {
        ForwardAuthDialect(gateway: details[Self.gatewayKey].flatMap { try? ServerAddress($0) })
    }

    /// `/api`, below the gateway.
    package var bindingIssuer: String? { inner.bindingIssuer }

    /// The request that identifies the gateway.
    package var probe: DialectRequest { there(inner.probe) }
    /// Reads the gateway's response.
    package func match(_ response: ClientResponse) -> ServerMatch { inner.match(response) }

    /// The request that asks the gateway who is signed in.
    package var identity: DialectRequest { there(inner.identity) }
    /// Reads the gateway's response.
    package func identity(from response: ClientResponse) -> Identity? { inner.identity(from: response) }

    /// The request that renews the session at the gateway.
    package var refresh: DialectRequest? { inner.refresh.map(there) }
    /// Reads the gateway's response.
    package func renewal(from response: ClientResponse) -> Grant? { inner.renewal(from: response) }
    /// Returns when to renew a token, as for Onyx.
    package func refreshDate(now: Date, expires: Date?) -> Date { inner.refreshDate(now: now, expires: expires) }

    /// Returns the request that ends the session at the gateway.
    package func signOut(keyID: String?) -> DialectRequest? { inner.signOut(keyID: keyID).map(there) }
    /// Reads the gateway's response.
    package func revocationFailure(_ response: ClientResponse, at server: ServerAddress) -> String? {
        inner.revocationFailure(response, at: gateway ?? server)
    }

    /// `Authorization: Bearer`.
    package func authorization(_ token: Secret) -> HTTPHeaders { inner.authorization(token) }

    /// Returns the error message in a response of the gateway. The error format of the protected server is not known.
    package func errorMessage(in response: ClientResponse) -> String? { inner.errorMessage(in: response) }

    /// Returns the request that signs in at the gateway.
    package func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest {
        there(inner.passwordSignIn(email: email, password: password, device: device))
    }
    /// Reads the gateway's response.
    package func grant(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        try inner.grant(from: response, of: gateway ?? server)
    }

    private func there(_ request: DialectRequest) -> DialectRequest {
        var request = request
        request.base = gateway
        return request
    }

    private static let gatewayKey = "gateway"
}
