import COpenSSL

/// An ECDSA signature on P-256, converted between OpenSSL's format and JOSE's.
///
/// Source: RFC 7518 §3.4; ECDSA_SIG_new(3).
struct ECDSASignature {
    /// The numbers r and s, 32 bytes each.
    let raw: [UInt8]
    /// The ASN.1 sequence of both numbers.
    let der: [UInt8]

    /// Creates a signature from the 64 bytes of both numbers.
    init?(raw: [UInt8]) {
        guard raw.count == 64, let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let (r, s) = (BN_bin2bn(Array(raw[..<32]), 32, nil), BN_bin2bn(Array(raw[32...]), 32, nil))
        guard ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        self.raw = raw
        der = Self.der(of: pair)
    }

    /// Creates a signature from the ASN.1 sequence.
    init?(der: [UInt8]) {
        let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            return d2i_ECDSA_SIG(nil, &start, bytes.count)
        }
        guard let pair = parsed else { return nil }
        defer { ECDSA_SIG_free(pair) }
        var raw = [UInt8](repeating: 0, count: 64)
        let isWritten = raw.withUnsafeMutableBufferPointer { buffer in
            BN_bn2binpad(ECDSA_SIG_get0_r(pair), buffer.baseAddress, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(pair), buffer.baseAddress.map { $0 + 32 }, 32) == 32
        }
        guard isWritten else { return nil }
        self.raw = raw
        self.der = der
    }

    private static func der(of pair: OpaquePointer) -> [UInt8] {
        let count = Int(i2d_ECDSA_SIG(pair, nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var start = buffer.baseAddress
            written = max(0, Int(i2d_ECDSA_SIG(pair, &start)))
        }
    }
}
