import Crypto

/// A PIN as somebody typed it: four to six digits.
///
/// It opens what is locked inside a session and nothing else, so a few digits are enough: whoever guesses has a session
/// already, and few guesses; see ``PINStore``.
///
/// Source: IM-15; contract of Immich, b.7.
public struct PIN: Sendable {
    /// The digits.
    let secret: Secret

    /// Takes digits.
    ///
    /// - Throws: ``GatewayError/Code/invalidPIN`` for anything but four to six digits.
    public init(_ text: String) throws(GatewayError) {
        let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDigits, (4...6).contains(text.utf8.count) else {
            throw GatewayError(.invalidPIN, "A PIN must have four to six digits and nothing else.")
        }
        secret = Secret(text)
    }
}
