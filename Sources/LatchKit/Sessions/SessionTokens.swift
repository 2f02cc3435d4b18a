import Crypto
import FoundationEssentials

/// The tokens of a session as stored in the secret store. They are in one entry, so that they change together.
///
/// The entry is either the access token alone, or lines with the access token, the refresh token, the id of the key and
/// the private key of the tokens. Lines may be empty, and the last ones may be missing.
///
/// Source: OX-6; RFC 6749 §1.5; RM-7; RFC 9449.
struct SessionTokens: Sendable, Equatable {
    /// The token that is sent with requests.
    var access: Secret
    /// The refresh token. Nil when the access token is also used for renewal.
    var refresh: Secret?
    /// The id of the key on the server. Nil when the token is not a key or its id is not known.
    var keyID: String?
    /// The private key that the tokens are bound to, in PEM. Nil for bearer tokens.
    var proofKey: Secret?

    /// Takes the tokens from a grant.
    init(_ grant: Grant) {
        access = grant.token
        refresh = grant.refreshToken
        keyID = grant.keyID
        proofKey = grant.proofKey
    }

    /// Parses an entry of the secret store.
    init(stored: Secret) {
        let lines = stored.withBytes {
            $0.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false).map(Array.init)
        }
        access = lines.count > 1 ? Secret(bytes: lines[0]) : stored
        refresh = lines.count > 1 && !lines[1].isEmpty ? Secret(bytes: lines[1]) : nil
        keyID = lines.count > 2 && !lines[2].isEmpty ? String(decoding: lines[2], as: UTF8.self) : nil
        proofKey =
            lines.count > 3 ? Base64URL.decode(String(decoding: lines[3], as: UTF8.self)).map(Secret.init(bytes:)) : nil
    }

    /// The entry for the secret store. Tokens contain no newline.
    var stored: Secret {
        guard refresh != nil || keyID != nil || proofKey != nil else { return access }
        let newline = [UInt8(ascii: "\n")]
        var end = keyID.map { newline + Array($0.utf8) } ?? []
        if let proofKey {
            if keyID == nil { end = newline }
            end += newline + proofKey.withBytes { Array(Base64URL.encode(Array($0)).utf8) }
        }
        return Secret(bytes: access.withBytes { $0 } + newline + (refresh?.withBytes { $0 } ?? []) + end)
    }

    /// The token that renews and ends the session. It is valid as long as the session.
    var lasting: Secret { refresh ?? access }
}
