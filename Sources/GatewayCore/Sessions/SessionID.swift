import Crypto
package import FoundationEssentials

/// The public id of a session: twelve characters that may be shown, logged and typed. It grants no access.
package struct SessionID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The id's text.
    package let rawValue: String

    /// Creates an id from text, without checking it.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a new id of 60 random bits.
    ///
    /// Source: Crockford's base 32, which leaves out i, l, o and u.
    package static func random() -> SessionID {
        SessionID(SecureRandom.bytes(12))
    }

    /// Creates the id of the session that a one-time code is exchanged for. It is always the same for the same code.
    ///
    /// - Parameter code: The text of the code.
    package init(ofCode code: String) {
        self.init(SHA256.digest("latchstring session of code " + code).bytes.prefix(12))
    }

    private init(_ bytes: some Sequence<UInt8>) {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        rawValue = String(decoding: bytes.map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    }

    /// The id's text.
    package var description: String { rawValue }
}

extension SessionID {
    /// The id for clients that need a UUID. It is derived from the id, so it is always the same for the same session.
    ///
    /// Source: RFC 9562 §5.4. The format is version 4; the bits come from a hash.
    package var uuid: UUID {
        let bytes = SHA256.digest("latchstring session " + rawValue).bytes
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6] & 0x0F | 0x40, bytes[7],
                bytes[8] & 0x3F | 0x80, bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
