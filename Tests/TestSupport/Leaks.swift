import Foundation

/// Rules for tests that search for secrets where none may be.
public enum Leaks {
    /// The smallest number of bytes to search for. Databases, tokens and keys have many random bytes, which contain any few
    /// bytes by chance.
    public static let shortestNeedle = 12

    /// The beginning of a signed token, for each algorithm: 16 characters of base64url of `{"alg":"RS25`.
    ///
    /// Source: RFC 7515 §3.1; this project and its tests write `alg` first.
    public static let tokenStarts = ["RS25", "PS25", "ES25", "EdDS", "HS25", "none"].map {
        Data(#"{"alg":"\#($0)"#.utf8).base64EncodedString()
    }

    /// Whether `bytes` contains `secret`.
    ///
    /// A secret of fewer than ``shortestNeedle`` bytes is a programmer's mistake.
    static func contains(_ bytes: UnsafeRawBufferPointer, _ secret: [UInt8]) -> Bool {
        precondition(
            secret.count >= shortestNeedle,
            "A secret of \(secret.count) bytes may be found by chance: look for \(shortestNeedle) or more.")
        return Bytes.contains(bytes, secret)
    }
}

extension Sequence<UInt8> {
    /// Whether `secret`, of ``Leaks/shortestNeedle`` bytes or more, stands in these bytes.
    public func leaks(_ secret: String) -> Bool { leaks(Array(secret.utf8)) }

    /// Whether `secret`, of ``Leaks/shortestNeedle`` bytes or more, stands in these bytes.
    public func leaks(_ secret: [UInt8]) -> Bool {
        withContiguousStorageIfAvailable { Leaks.contains(UnsafeRawBufferPointer($0), secret) }
            ?? Array(self).withUnsafeBytes { Leaks.contains($0, secret) }
    }
}

extension StringProtocol {
    /// Whether `secret`, of ``Leaks/shortestNeedle`` bytes or more, stands in this text.
    public func leaks(_ secret: String) -> Bool { utf8.leaks(secret) }
}
