import Crypto

/// The code that a person copies from a device without a browser: 8 consonants, shown as `XXXX-XXXX`.
///
/// The alphabet has no vowels, so that no words appear, and no letters that are taken for others.
///
/// Source: RFC 8628 §6.1.
package struct UserCode: Sendable, Equatable {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    private static let count = 8
    // Longer texts are not read.
    private static let maximumTypedCount = 64

    /// The code without the dash.
    let text: String

    /// The code as people see it.
    package var shown: String { "\(text.prefix(Self.count / 2))-\(text.suffix(Self.count / 2))" }

    /// Makes a random code.
    init() {
        var letters: [UInt8] = []
        // 240 is a multiple of 20, so every letter is equally likely.
        while letters.count < Self.count {
            letters += SecureRandom.bytes(16).filter { $0 < 240 }.map { Self.alphabet[Int($0) % Self.alphabet.count] }
        }
        text = String(decoding: letters.prefix(Self.count), as: UTF8.self)
    }

    /// Reads a code as a person types it: in any case, with any dashes and spaces. Nil for text that is no code.
    package init?(typed: String) {
        guard typed.utf8.count <= Self.maximumTypedCount else { return nil }
        let letters = typed.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
            .map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 32 : $0 }
        guard letters.count == Self.count, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        text = String(decoding: letters, as: UTF8.self)
    }
}
