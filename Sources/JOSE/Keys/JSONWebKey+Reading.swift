import Crypto
import HTTPMessages

extension JSONWebKey {
    static func key(_ type: KeyType, _ value: JSONValue, _ maximumBits: Int) throws(JOSEError) -> EVPKey {
        switch type {
        case .rsa: try rsa(value, maximumBits)
        case .ellipticCurve: try ellipticCurve(value)
        case .octetKeyPair: try octetKeyPair(value)
        }
    }

    static func text(_ name: String, _ value: JSONValue) throws(JOSEError) -> String? {
        guard let member = value[name], member != .null else { return nil }
        guard let text = member.string else { throw JOSEError(.malformed, "A key's '\(name)' is not a string.") }
        return text
    }

    static func algorithm(_ value: JSONValue, _ type: KeyType) throws(JOSEError) -> SignatureAlgorithm? {
        guard let name = try text("alg", value) else { return nil }
        guard let algorithm = SignatureAlgorithm(rawValue: name), type.algorithms.contains(algorithm) else {
            throw JOSEError(
                .unsupported, "A key is for an algorithm that is not supported or does not fit its type.")
        }
        return algorithm
    }

    private static func rsa(_ value: JSONValue, _ maximumBits: Int) throws(JOSEError) -> EVPKey {
        let modulus = Array(try bytes("n", value).drop { $0 == 0 })
        let exponent = Array(try bytes("e", value).drop { $0 == 0 })
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard (minimumModulusBits...maximumBits).contains(bits) else {
            throw JOSEError(.weak, "An RSA key does not have \(minimumModulusBits) to \(maximumBits) bits.")
        }
        // An even exponent is never valid, and with the exponent 1 every signature would verify.
        guard (1...maximumExponentBytes).contains(exponent.count), exponent.last.map({ $0 & 1 }) == 1, exponent != [1],
            let key = EVPKey(modulus: modulus, exponent: exponent)
        else { throw JOSEError(.malformed, "An RSA key's numbers are invalid.") }
        return key
    }

    private static func ellipticCurve(_ value: JSONValue) throws(JOSEError) -> EVPKey {
        try checkCurve("P-256", value)
        let (x, y) = (try bytes("x", value), try bytes("y", value))
        guard x.count == 32, y.count == 32, let key = EVPKey(x: x, y: y) else {
            throw JOSEError(.malformed, "A key's point is not on the curve P-256.")
        }
        return key
    }

    private static func octetKeyPair(_ value: JSONValue) throws(JOSEError) -> EVPKey {
        try checkCurve("Ed25519", value)
        let x = try bytes("x", value)
        guard x.count == 32, let key = EVPKey(ed25519: x) else {
            throw JOSEError(.malformed, "An Ed25519 key does not have 32 bytes.")
        }
        return key
    }

    private static func checkCurve(_ name: String, _ value: JSONValue) throws(JOSEError) {
        guard let curve = value["crv"]?.string else { throw JOSEError(.malformed, "A key names no curve.") }
        guard curve == name else { throw JOSEError(.unsupported, "A key is for a curve other than \(name).") }
    }

    private static func bytes(_ name: String, _ value: JSONValue) throws(JOSEError) -> [UInt8] {
        guard let text = value[name]?.string, !text.isEmpty, let bytes = Base64URL.decode(text) else {
            throw JOSEError(.malformed, "A key's '\(name)' is missing or not base64url.")
        }
        return bytes
    }
}
