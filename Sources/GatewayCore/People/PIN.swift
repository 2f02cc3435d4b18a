package import Crypto

/// A PIN as a person typed it: four to six digits.
///
/// A PIN only unlocks the locked items of a session that is already signed in. A few digits are enough, because
/// guessing requires a session and the number of attempts is limited; see ``PINStore``.
///
/// Source: IM-15; docs/protocols/immich.md, PIN and locked assets.
package struct PIN: Sendable {
    /// The digits.
    package let secret: Secret

    /// Creates a PIN from text.
    ///
    /// - Throws: ``GatewayError/Code/invalidPIN`` unless the text is four to six ASCII digits.
    package init(_ text: String) throws(GatewayError) {
        let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isDigits, (4...6).contains(text.utf8.count) else {
            throw GatewayError(.invalidPIN, "A PIN must have four to six digits and nothing else.")
        }
        secret = Secret(text)
    }
}
