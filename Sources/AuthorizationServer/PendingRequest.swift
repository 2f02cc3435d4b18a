import Crypto
import FoundationEssentials
import GatewayCore
import HTTPMessages
import SignInBridge

/// An authorization request that waits while its person signs in, or that a client has pushed.
///
/// Its parameters may be longer than an address that a browser returns to may be, and they should not be in the history
/// of browsers, so the address has only a handle. See ``PendingRequests``.
///
/// Source: RFC 9126.
struct PendingRequest: Sendable {
    /// The parameters, form-encoded.
    let parameters: String
    /// The `client_id`.
    let client: String
    /// When the request arrived, in milliseconds. A person who must authenticate again does so after that.
    private(set) var received: Date
    /// When the request expires.
    let expires: Date
    /// Whether a client pushed it, and no browser has opened it yet.
    private(set) var isPushed: Bool

    /// How long a request waits.
    static let lifetime = Duration.seconds(600)
    /// The beginning of every `request_uri`.
    ///
    /// Source: RFC 9126 §2.2.
    static let prefix = "urn:ietf:params:oauth:request_uri:"

    private static let context = Array("latchstring pending request 1".utf8)

    init(_ fields: FormFields, client: String, received: Date, isPushed: Bool) {
        parameters = FormURLEncoded.encode(AuthorizationParameters.read(fields).pairs.map { ($0.name, $0.value) })
        self.client = client
        self.received = received
        self.isPushed = isPushed
        expires = received + Self.lifetime
    }

    /// Records that a browser opens the request. A person who must authenticate again does so after that.
    mutating func open(at now: Date) {
        guard isPushed else { return }
        isPushed = false
        received = now
    }

    /// The parameters.
    var fields: FormFields? { try? FormURLEncoded.decode(parameters) }

    /// Returns the request sealed with a key. The box can be opened only with the same purpose.
    func sealed(_ key: Secret, for purpose: [UInt8]) throws(CryptoError) -> [UInt8] {
        try SealedFields.seal(
            [
                Array(parameters.utf8), Array(client.utf8), [UInt8](bigEndian: Self.milliseconds(received)),
                [UInt8](bigEndian: Self.milliseconds(expires)), [isPushed ? 1 : 0],
            ], key: key, context: Self.context + purpose)
    }

    /// Opens a request. Nil for bytes that were not sealed for this purpose.
    init?(opening box: [UInt8], _ key: Secret, for purpose: [UInt8]) {
        guard let fields = SealedFields.open(box, key: key, context: Self.context + purpose), fields.count == 5,
            let parameters = String(validating: fields[0], as: UTF8.self),
            let client = String(validating: fields[1], as: UTF8.self), let received = fields[2].bigEndian,
            let expires = fields[3].bigEndian
        else { return nil }
        self.parameters = parameters
        self.client = client
        self.received = Date(timeIntervalSince1970: Double(received) / 1_000)
        self.expires = Date(timeIntervalSince1970: Double(expires) / 1_000)
        isPushed = fields[4] == [1]
    }

    private static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1_000).rounded()) }
}
