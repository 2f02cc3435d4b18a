import Crypto

/// A provider's `error` and `error_description`, sanitized for display.
///
/// Source: RFC 6749 §4.1.2.1 and §5.2 for the allowed characters.
struct ProviderErrorText: Sendable, Equatable {
    let code: String
    let description: String?

    /// Sanitizes the texts of a provider. Nil unless `code` consists of 1 to 64 allowed characters and does not contain
    /// `secrets`.
    ///
    /// A description is cut to 200 characters, and characters that are not allowed become spaces. It is omitted when it
    /// contains one of `secrets`.
    init?(code: String, description: String?, secrets: [Secret] = []) {
        guard (1...64).contains(code.utf8.count), code.utf8.allSatisfy(Self.isAllowed),
            !Self.quotes(code, secrets)
        else { return nil }
        self.code = code
        guard let description, !Self.quotes(description, secrets) else {
            self.description = nil
            return
        }
        let bytes = description.utf8.prefix(200).map { Self.isAllowed($0) ? $0 : UInt8(ascii: " ") }
        self.description = bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private static func quotes(_ text: String, _ secrets: [Secret]) -> Bool {
        secrets.contains { $0.count > 0 && text.utf8.contains($0.reveal().utf8) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
