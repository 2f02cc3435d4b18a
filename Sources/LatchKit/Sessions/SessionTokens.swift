import FoundationEssentials

/// A session's tokens as the secret store keeps them: the one to send alone, or that, the one to renew with and the id of
/// the key that the first one is, each a line; a line may be empty. One entry, so that all change together.
///
/// Source: OX-6; RFC 6749 §1.5; RM-7.
struct SessionTokens: Sendable, Equatable {
    /// The token that requests carry.
    var access: Secret
    /// The token to renew with, where it is another one.
    var refresh: Secret?
    /// The server's id of the token, where it is a key.
    var keyID: String?

    /// Takes what a server granted.
    init(_ grant: Grant) {
        access = grant.token
        refresh = grant.refreshToken
        keyID = grant.keyID
    }

    /// Takes what the store kept.
    init(stored: Secret) {
        let lines = stored.withBytes {
            $0.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
        }
        access = lines.count > 1 ? Secret(bytes: lines[0]) : stored
        refresh = lines.count > 1 && !lines[1].isEmpty ? Secret(bytes: lines[1]) : nil
        keyID = lines.count > 2 && !lines[2].isEmpty ? String(decoding: lines[2], as: UTF8.self) : nil
    }

    /// What the store keeps; no token has a newline in it.
    var stored: Secret {
        guard refresh != nil || keyID != nil else { return access }
        let newline = [UInt8(ascii: "\n")]
        let end = keyID.map { newline + Array($0.utf8) } ?? []
        return Secret(bytes: access.withBytes { $0 } + newline + (refresh?.withBytes { $0 } ?? []) + end)
    }

    /// What the session is renewed and ended with: the one that lives as long as the session.
    var lasting: Secret { refresh ?? access }
}
