/// The SHA-256 of a whole certificate in its DER form: what browsers and `openssl x509 -fingerprint -sha256` show.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Makes a fingerprint from 32 bytes; nil for any other count.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Reads 64 hexadecimal digits in either case, in pairs that may be parted by colons or spaces; nil otherwise.
    ///
    /// A leading `SHA256:` or `sha256 Fingerprint=`, as tools print it, is skipped.
    public init?(_ text: String) {
        var rest = text[...]
        for prefix in ["sha256 fingerprint=", "sha256:", "sha-256:", "sha256="]
        where rest.lowercased().hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
            break
        }
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in rest {
            if high == nil, character == ":" || character == " " { continue }
            guard character.isASCII, let digit = character.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        guard high == nil else { return nil }
        self.init(bytes: bytes)
    }

    /// 32 pairs of upper-case hexadecimal digits parted by colons.
    public var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}
