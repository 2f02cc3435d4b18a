import FoundationEssentials

/// A session's tokens as the secret store keeps them: the one to send alone, or that and the one to renew with as two
/// lines. One entry, so that both change together.
///
/// Source: OX-6; RFC 6749 §1.5.
struct SessionTokens: Sendable, Equatable {
    /// The token that requests carry.
    var access: Secret
    /// The token to renew with, where it is another one.
    var refresh: Secret?

    /// Takes what a server granted.
    init(_ grant: Grant) {
        access = grant.token
        refresh = grant.refreshToken
    }

    /// Takes what the store kept.
    init(stored: Secret) {
        let lines = stored.withBytes { $0.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map(Array.init) }
        access = lines.count == 2 ? Secret(bytes: lines[0]) : stored
        refresh = lines.count == 2 ? Secret(bytes: lines[1]) : nil
    }

    /// What the store keeps; no token has a newline in it.
    var stored: Secret {
        guard let refresh else { return access }
        return Secret(bytes: access.withBytes { $0 } + [UInt8(ascii: "\n")] + refresh.withBytes { $0 })
    }

    /// What the session is renewed and ended with: the one that lives as long as the session.
    var lasting: Secret { refresh ?? access }
}
