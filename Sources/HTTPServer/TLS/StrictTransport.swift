import Wire

/// What browsers are told: to come back by HTTPS only.
///
/// It goes with every answer over TLS, the server's own refusals included, and with answers to a proxy that is trusted
/// and says that its client came by HTTPS. Never over clear text, where anybody could have written it.
///
/// Source: RFC 6797 §6.1 and §7.2; `X-Forwarded-Proto` is a convention.
public struct StrictTransport: Sendable {
    /// How long a browser remembers.
    public let maximumAge: Duration
    /// Whose `X-Forwarded-Proto` is believed.
    public let trustsForwarded: @Sendable (PeerAddress) -> Bool

    /// Makes a policy.
    public init(maximumAge: Duration, trustsForwarded: @escaping @Sendable (PeerAddress) -> Bool = { _ in false }) {
        self.maximumAge = maximumAge
        value = "max-age=\(maximumAge.components.seconds)"
        self.trustsForwarded = trustsForwarded
    }

    private let value: String

    static let field = "Strict-Transport-Security"

    func value(for security: ConnectionSecurity, _ headers: HTTPHeaders?) -> String? {
        switch security {
        case .tls: break
        case .plain(let peer):
            guard let said = headers?["X-Forwarded-Proto"], HTTPHeaders.namesAreEqual(said, "https"),
                trustsForwarded(peer)
            else { return nil }
        case .refused: return nil
        }
        return value
    }
}
