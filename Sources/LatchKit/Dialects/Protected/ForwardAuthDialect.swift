public import FoundationEssentials

/// The dialect for any server behind a `latchd` gateway. The gateway signs people in; the protocol of the server itself
/// does not matter.
///
/// Requests for sign-in, renewal, identity and sign-out go to the gateway, which uses the protocol of Onyx. All other
/// requests go to the protected address. The token is sent to these two and nowhere else.
///
/// Source: RFC 9728; docs/any-backend.md.
public struct ForwardAuthDialect: PasswordDialect {
    /// The address of the gateway. Nil before a server was found.
    let gateway: ServerAddress?
    let inner = OnyxDialect()

    /// Makes the dialect.
    public init() { gateway = nil }

    init(gateway: ServerAddress?) { self.gateway = gateway }

    /// `latchd`.
    public var id: DialectID { DialectID(rawValue: "latchd") }
    /// `latchd (forward authentication)`.
    public var title: String { "latchd (forward authentication)" }
    /// The address of the gateway, under the key `gateway`.
    public var details: [String: String] { gateway.map { [Self.gatewayKey: $0.url] } ?? [:] }
    /// Returns the dialect of a server behind the gateway in `details`.
    public func with(details: [String: String]) -> any Dialect {
        ForwardAuthDialect(gateway: details[Self.gatewayKey].flatMap { try? ServerAddress($0) })
    }

    /// The request that identifies the gateway.
    public var probe: DialectRequest { there(inner.probe) }
    /// Reads the gateway's response.
    public func match(_ answer: ClientResponse) -> ServerMatch { inner.match(answer) }

    /// The request that asks the gateway who is signed in.
    public var identity: DialectRequest { there(inner.identity) }
    /// Reads the gateway's response.
    public func identity(from answer: ClientResponse) -> Identity? { inner.identity(from: answer) }

    /// The request that renews the session at the gateway.
    public var refresh: DialectRequest? { inner.refresh.map(there) }
    /// Reads the gateway's response.
    public func renewal(from answer: ClientResponse) -> Grant? { inner.renewal(from: answer) }
    /// Returns when to renew a token, as for Onyx.
    public func refreshDate(now: Date, expires: Date?) -> Date { inner.refreshDate(now: now, expires: expires) }

    /// Returns the request that ends the session at the gateway.
    public func signOut(keyID: String?) -> DialectRequest? { inner.signOut(keyID: keyID).map(there) }
    /// Reads the gateway's response.
    public func revocationFailure(_ answer: ClientResponse, at server: ServerAddress) -> String? {
        inner.revocationFailure(answer, at: gateway ?? server)
    }

    /// `Authorization: Bearer`.
    public func authorization(_ token: Secret) -> HTTPHeaders { inner.authorization(token) }

    /// Returns the error message in a response of the gateway. The error format of the protected server is not known.
    public func errorMessage(in answer: ClientResponse) -> String? { inner.errorMessage(in: answer) }

    /// Returns the request that signs in at the gateway.
    public func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest {
        there(inner.passwordSignIn(email: email, password: password, device: device))
    }
    /// Reads the gateway's response.
    public func grant(from answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        try inner.grant(from: answer, of: gateway ?? server)
    }

    private func there(_ request: DialectRequest) -> DialectRequest {
        var request = request
        request.base = gateway
        return request
    }

    private static let gatewayKey = "gateway"
}
