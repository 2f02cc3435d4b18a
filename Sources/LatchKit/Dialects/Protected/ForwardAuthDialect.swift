public import FoundationEssentials

/// How any server speaks that stands behind a gateway `latchd`: the gateway signs people in, and the server itself may say
/// whatever it likes.
///
/// Sign-in, renewal, identity and sign-out go to the gateway, which speaks as Onyx does; everything else goes to the protected
/// address. The token goes to these two and nowhere else.
///
/// Source: RFC 9728; docs/any-backend.md.
public struct ForwardAuthDialect: PasswordDialect {
    /// Where the gateway is; nil before a server was found.
    let gateway: ServerAddress?
    let inner = OnyxDialect()

    /// Makes the dialect.
    public init() { gateway = nil }

    init(gateway: ServerAddress?) { self.gateway = gateway }

    /// `latchd`.
    public var id: DialectID { DialectID(rawValue: "latchd") }
    /// `anything, behind latchd`.
    public var title: String { "anything, behind latchd" }
    /// The gateway's address.
    public var details: [String: String] { gateway.map { [Self.gatewayKey: $0.url] } ?? [:] }
    /// The dialect for a server behind that gateway.
    public func with(details: [String: String]) -> any Dialect {
        ForwardAuthDialect(gateway: details[Self.gatewayKey].flatMap { try? ServerAddress($0) })
    }

    /// What the gateway is known by.
    public var probe: DialectRequest { there(inner.probe) }
    /// Reads the gateway's answer.
    public func match(_ answer: ClientResponse) -> ServerMatch { inner.match(answer) }

    /// Asks the gateway who is signed in.
    public var identity: DialectRequest { there(inner.identity) }
    /// Reads the gateway's answer.
    public func identity(from answer: ClientResponse) -> Identity? { inner.identity(from: answer) }

    /// Renews the session at the gateway.
    public var refresh: DialectRequest? { inner.refresh.map(there) }
    /// Reads the gateway's answer.
    public func renewal(from answer: ClientResponse) -> Grant? { inner.renewal(from: answer) }
    /// As Onyx's.
    public func refreshDate(now: Date, expires: Date?) -> Date { inner.refreshDate(now: now, expires: expires) }

    /// Ends the session at the gateway.
    public func signOut(keyID: String?) -> DialectRequest? { inner.signOut(keyID: keyID).map(there) }
    /// Reads the gateway's answer.
    public func revocationFailure(_ answer: ClientResponse, at server: ServerAddress) -> String? {
        inner.revocationFailure(answer, at: gateway ?? server)
    }

    /// `Authorization: Bearer`.
    public func authorization(_ token: Secret) -> HTTPHeaders { inner.authorization(token) }

    /// The gateway's words; a server behind it has none that are known here.
    public func errorMessage(in answer: ClientResponse) -> String? { inner.errorMessage(in: answer) }

    /// Signs in at the gateway.
    public func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest {
        there(inner.passwordSignIn(email: email, password: password, device: device))
    }
    /// Reads the gateway's answer.
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
