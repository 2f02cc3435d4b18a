import Wire

/// The groups in a token or a UserInfo answer.
///
/// No specification names the claim: providers call it `groups`, `roles`, or put it deeper, as `realm_access.roles`.
enum GroupsClaim {
    /// The longest list that is taken, and the longest name in it, in bytes.
    static let maximumCount = 200
    static let maximumBytes = 256

    /// The groups of the claim of this name, or of the one that its dots lead to; nil when it is not there.
    ///
    /// One text is a list of one. What is no text, empty, too long or holds a control character is left out, and so is what
    /// is beyond the longest list.
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
