import Wire

/// What a provider tells about a person beside the subject; a claim of another type counts as missing.
///
/// Source: OpenID Connect Core §5.1; claims by reference (§5.6.2) are not followed.
struct PersonClaims: Sendable, Equatable {
    var email: String?
    var isEmailVerified: Bool
    var name: String?

    init(email: String?, isEmailVerified: Bool, name: String?) {
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.name = name
    }

    init(_ value: JSONValue) {
        email = value["email"]?.string.flatMap { Self.shown($0, maximum: 320) }
        // Apple writes the truth as a text.
        isEmailVerified = email != nil && [.bool(true), .string("true")].contains(value["email_verified"])
        name =
            ["name", "preferred_username"].lazy.compactMap {
                value[$0]?.string.flatMap { Self.shown($0, maximum: 256) }
            }
            .first
    }

    /// The text, unless it is empty, too long or holds a control character.
    private static func shown(_ text: String, maximum: Int) -> String? {
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return !text.isEmpty && text.utf8.count <= maximum && isPlain ? text : nil
    }
}
