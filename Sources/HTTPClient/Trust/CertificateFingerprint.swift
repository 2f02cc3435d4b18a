/// The SHA-256 of the DER form of a certificate, as shown by browsers and `openssl x509 -fingerprint -sha256`.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes of the fingerprint.
    public let bytes: [UInt8]

    /// Creates a fingerprint from 32 bytes. Returns nil for any other number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Creates a fingerprint from 64 hexadecimal digits in either case, in pairs that may be separated by colons or
    /// spaces. Returns nil for any other text.
    ///
    /// A leading `SHA256:` or `sha256 Fingerprint=`, as printed by tools, is skipped.
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

    /// The fingerprint as 32 pairs of upper-case hexadecimal digits, separated by colons.
    public var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}
