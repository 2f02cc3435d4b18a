import HTTPMessages

/// The policy that tells browsers to use only HTTPS.
///
/// It is sent with every response over TLS, including the server's own refusals, and with responses to a trusted proxy
/// that reports HTTPS for its client. It is never sent to other plain connections, where anyone could have inserted it.
///
/// Source: RFC 6797 §6.1 and §7.2; `X-Forwarded-Proto` is a convention.
package struct StrictTransport: Sendable {
    /// How long browsers store the policy.
    package let maximumAge: Duration
    /// Whether the `X-Forwarded-Proto` of a peer is trusted.
    package let trustsForwarded: @Sendable (PeerAddress) -> Bool

    /// Creates a policy.
    package init(maximumAge: Duration, trustsForwarded: @escaping @Sendable (PeerAddress) -> Bool = { _ in false }) {
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
            guard let scheme = headers?["X-Forwarded-Proto"], HTTPHeaders.namesAreEqual(scheme, "https"),
                trustsForwarded(peer)
            else { return nil }
        case .refused: return nil
        }
        return value
    }
}
