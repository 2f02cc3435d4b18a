/// The supported key types, each with its algorithms.
///
/// Source: RFC 7518 §6.1; RFC 8037 §2.
enum KeyType: String, Sendable {
    case rsa = "RSA"
    /// A key on the curve P-256.
    case ellipticCurve = "EC"
    /// A key on the curve Ed25519.
    case octetKeyPair = "OKP"

    /// The algorithms of the type. The first one is the default.
    var algorithms: [SignatureAlgorithm] {
        switch self {
        case .rsa: [.rs256, .ps256]
        case .ellipticCurve: [.es256]
        case .octetKeyPair: [.edDSA]
        }
    }
}
