import HTTPMessages

/// Reads the claims of a token or of a UserInfo response. Every error names the claim but does not quote its value.
struct ClaimReader: Sendable {
    let value: JSONValue
    /// The name of the source of the claims, as the beginning of a sentence.
    let what: String

    /// Parses a JSON object.
    init(parsing bytes: [UInt8], what: String) throws(OpenIDConnectError) {
        guard let value = try? JSONValue(parsing: bytes, repairsText: false), value.members != nil else {
            throw OpenIDConnectError(.invalidToken, "\(what) is not valid: it is not a JSON object.")
        }
        self.value = value
        self.what = what
    }

    func bad(_ reason: String) -> OpenIDConnectError {
        OpenIDConnectError(.invalidToken, "\(what) is not valid: \(reason)")
    }

    /// Returns a string claim. Nil when it is missing or null.
    func text(_ name: String) throws(OpenIDConnectError) -> String? {
        guard let member = value[name], member != .null else { return nil }
        guard let text = member.string else { throw bad("its '\(name)' is not a string.") }
        return text
    }

    /// Returns a required string claim.
    func requiredText(_ name: String) throws(OpenIDConnectError) -> String {
        guard let text = try text(name) else { throw bad("its '\(name)' is missing.") }
        return text
    }

    /// Returns a time in seconds since 1970. Nil when it is missing or null.
    ///
    /// Source: RFC 7519 §2, `NumericDate`.
    func moment(_ name: String) throws(OpenIDConnectError) -> Double? {
        guard let member = value[name], member != .null else { return nil }
        guard let seconds = member.number, (0...1e12).contains(seconds) else {
            throw bad("its '\(name)' is not a valid time.")
        }
        return seconds
    }

    /// Returns a required time.
    func requiredMoment(_ name: String) throws(OpenIDConnectError) -> Double {
        guard let seconds = try moment(name) else { throw bad("its '\(name)' is missing.") }
        return seconds
    }

    /// Returns the strings of a claim that is one string or an array of strings. Empty when it is missing or null.
    func texts(_ name: String) throws(OpenIDConnectError) -> [String] {
        switch value[name] {
        case nil, .null?: return []
        case .string(let text)?: return [text]
        case .array(let elements)?:
            let texts = elements.compactMap(\.string)
            if texts.count == elements.count { return texts }
        default: break
        }
        throw bad("its '\(name)' is neither a string nor an array of strings.")
    }

    /// Returns the id of the session at the provider. Nil when it is missing or null.
    ///
    /// Source: OpenID Connect Front-Channel Logout 1.0 §3. It names no maximum; this one is that of `sub`.
    func sessionID() throws(OpenIDConnectError) -> String? {
        guard let id = try text("sid") else { return nil }
        guard id.utf8.count <= 255 else { throw bad("its 'sid' has more than 255 bytes.") }
        return id
    }

    /// Returns the subject: the person's id at the provider.
    ///
    /// Source: OpenID Connect Core §2: at most 255 ASCII characters.
    func subject() throws(OpenIDConnectError) -> String {
        let subject = try requiredText("sub")
        guard (1...255).contains(subject.utf8.count), subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw bad("its 'sub' does not consist of 1 to 255 printable ASCII characters.")
        }
        return subject
    }
}
