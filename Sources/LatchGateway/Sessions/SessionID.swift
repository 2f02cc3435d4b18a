import Crypto

/// A session's public id: twelve characters that may be shown, logged and typed, and open nothing.
public struct SessionID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The id's text.
    public let rawValue: String

    /// Takes an id as it was shown; it is not checked.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes a new id of 60 random bits.
    ///
    /// Source: Crockford's base 32, which leaves out i, l, o and u.
    static func random() -> SessionID {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        let text = SecureRandom.bytes(12).map { alphabet[Int($0 & 31)] }
        return SessionID(rawValue: String(decoding: text, as: UTF8.self))
    }

    /// The id's text.
    public var description: String { rawValue }
}
