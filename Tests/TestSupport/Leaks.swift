import Foundation

/// Helpers for tests that check for leaked secrets.
public enum Leaks {
    /// The minimum number of bytes to search for. Databases, tokens and keys contain many random bytes, in which
    /// shorter sequences occur by chance.
    public static let shortestNeedle = 12

    /// The beginnings of signed tokens, one per algorithm: 16 characters of base64url of, for example, `{"alg":"RS25`.
    ///
    /// Source: RFC 7515 §3.1; this project and its tests write `alg` first.
    public static let tokenStarts = ["RS25", "PS25", "ES25", "EdDS", "HS25", "none"].map {
        Data(#"{"alg":"\#($0)"#.utf8).base64EncodedString()
    }

    /// Returns whether `bytes` contains `secret`.
    ///
    /// A secret shorter than ``shortestNeedle`` bytes is a programming error.
    static func contains(_ bytes: UnsafeRawBufferPointer, _ secret: [UInt8]) -> Bool {
        precondition(
            secret.count >= shortestNeedle,
            "A secret of \(secret.count) bytes may be found by chance: look for \(shortestNeedle) or more.")
        return Bytes.contains(bytes, secret)
    }
}

extension Sequence<UInt8> {
    /// Returns whether these bytes contain `secret`, which must have at least ``Leaks/shortestNeedle`` bytes.
    public func leaks(_ secret: String) -> Bool { leaks(Array(secret.utf8)) }

    /// Returns whether these bytes contain `secret`, which must have at least ``Leaks/shortestNeedle`` bytes.
    public func leaks(_ secret: [UInt8]) -> Bool {
        withContiguousStorageIfAvailable { Leaks.contains(UnsafeRawBufferPointer($0), secret) }
            ?? Array(self).withUnsafeBytes { Leaks.contains($0, secret) }
    }
}

extension StringProtocol {
    /// Returns whether this text contains `secret`, which must have at least ``Leaks/shortestNeedle`` bytes.
    public func leaks(_ secret: String) -> Bool { utf8.leaks(secret) }
}
