import HTTPMessages

/// Reads the groups in a token or a UserInfo response.
///
/// No specification defines the claim. Providers call it `groups` or `roles`, or nest it, such as `realm_access.roles`.
enum GroupsClaim {
    /// The maximum number of groups, and the maximum length of a group name in bytes.
    static let maximumCount = 200
    static let maximumBytes = 256

    /// Returns the groups in the claim with this name or, if there is none, in the nested claim at this path. Nil when
    /// neither exists.
    ///
    /// A single string counts as a list of one. Elements that are not strings, are empty, are too long or contain a
    /// control character are omitted, and so are those beyond the maximum number.
    static func read(_ name: String, in claims: JSONValue) -> [String]? {
        guard let value = claims[name] ?? value(at: name, in: claims), value != .null else { return nil }
        let texts = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
        return Array(texts.filter(isName).prefix(maximumCount))
    }

    private static func value(at path: String, in claims: JSONValue) -> JSONValue? {
        path.split(separator: ".").reduce(claims as JSONValue?) { $0?[String($1)] }
    }

    private static func isName(_ text: String) -> Bool {
        (1...maximumBytes).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
