import HTTPMessages

/// The claims about a person other than the subject. A claim with the wrong type counts as missing.
///
/// Source: OpenID Connect Core §5.1; claims by reference (§5.6.2) are not followed.
struct PersonClaims: Sendable, Equatable {
    var email: String?
    var isEmailVerified: Bool
    var name: String?
    /// The person's groups. Nil when the provider does not say or they are not requested.
    var groups: [String]?

    init(email: String?, isEmailVerified: Bool, name: String?, groups: [String]? = nil) {
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.name = name
        self.groups = groups
    }

    /// Reads the claims. `groupsClaim` is the claim with the groups.
    init(_ value: JSONValue, groupsClaim: String? = nil) {
        email = value["email"]?.string.flatMap { Self.shown($0, maximum: 320) }
        // Apple sends the boolean as a string.
        isEmailVerified = email != nil && [.bool(true), .string("true")].contains(value["email_verified"])
        name =
            ["name", "preferred_username"].lazy.compactMap {
                value[$0]?.string.flatMap { Self.shown($0, maximum: 256) }
            }
            .first
        groups = groupsClaim.flatMap { GroupsClaim.read($0, in: value) }
    }

    /// Returns the text. Nil when it is empty, too long or contains a control character.
    private static func shown(_ text: String, maximum: Int) -> String? {
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return !text.isEmpty && text.utf8.count <= maximum && isPlain ? text : nil
    }
}
