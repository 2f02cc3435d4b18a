/// The kinds of key that are understood, each with the algorithms it may be used for.
///
/// Source: RFC 7518 §6.1; RFC 8037 §2.
enum KeyType: String, Sendable {
    case rsa = "RSA"
    /// On the curve P-256.
    case ellipticCurve = "EC"
    /// On the curve Ed25519.
    case octetKeyPair = "OKP"

    /// The first is the one that a key is used with when nothing else is said.
    var algorithms: [SignatureAlgorithm] {
        switch self {
        case .rsa: [.rs256, .ps256]
        case .ellipticCurve: [.es256]
        case .octetKeyPair: [.edDSA]
        }
    }
}
