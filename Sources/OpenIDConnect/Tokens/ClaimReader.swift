import Wire

/// Claims of a token or of a UserInfo answer, read one by one; every mistake names its claim and quotes nothing.
struct ClaimReader: Sendable {
    let value: JSONValue
    /// What is read, as the beginning of a sentence names it.
    let what: String

    /// Reads a JSON object.
    init(parsing bytes: [UInt8], what: String) throws(OpenIDConnectError) {
        guard let value = try? JSONValue(parsing: bytes), value.members != nil else {
            throw OpenIDConnectError(.badToken, "\(what) cannot be believed: it is no JSON object.")
        }
        self.value = value
        self.what = what
    }

    func bad(_ reason: String) -> OpenIDConnectError {
        OpenIDConnectError(.badToken, "\(what) cannot be believed: \(reason)")
    }

    /// A text; nil when it is missing or null.
    func text(_ name: String) throws(OpenIDConnectError) -> String? {
        guard let member = value[name], member != .null else { return nil }
        guard let text = member.string else { throw bad("its '\(name)' is no text.") }
        return text
    }

    /// A text that must be there.
    func requiredText(_ name: String) throws(OpenIDConnectError) -> String {
        guard let text = try text(name) else { throw bad("its '\(name)' is missing.") }
        return text
    }

    /// A moment in seconds since 1970; nil when it is missing.
    ///
    /// Source: RFC 7519 §2, `NumericDate`.
    func moment(_ name: String) throws(OpenIDConnectError) -> Double? {
        guard let member = value[name], member != .null else { return nil }
        guard let seconds = member.number, (0...1e12).contains(seconds) else {
            throw bad("its '\(name)' is no moment.")
        }
        return seconds
    }

    /// A moment that must be there.
    func requiredMoment(_ name: String) throws(OpenIDConnectError) -> Double {
        guard let seconds = try moment(name) else { throw bad("its '\(name)' is missing.") }
        return seconds
    }

    /// One text or an array of texts; empty when it is missing.
    func texts(_ name: String) throws(OpenIDConnectError) -> [String] {
        switch value[name] {
        case nil, .null?: return []
        case .string(let text)?: return [text]
        case .array(let elements)?:
            let texts = elements.compactMap(\.string)
            if texts.count == elements.count { return texts }
        default: break
        }
        throw bad("its '\(name)' is neither a text nor an array of texts.")
    }

    /// The person's name at the provider.
    ///
    /// Source: OpenID Connect Core §2: at most 255 ASCII characters.
    func subject() throws(OpenIDConnectError) -> String {
        let subject = try requiredText("sub")
        guard (1...255).contains(subject.utf8.count), subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw bad("its 'sub' has not 1 to 255 printable ASCII characters.")
        }
        return subject
    }
}
