/// One challenge of a `WWW-Authenticate` field.
///
/// Source: RFC 9110 §11.6.1 and §11.2.
package struct AuthenticationChallenge: Sendable, Equatable {
    /// The scheme in lower case, such as `bearer`.
    package var scheme: String
    /// The parameters, by their names in lower case.
    package var parameters: [String: String]

    /// Parses all challenges in the values of a field, in order. A value that violates the grammar or repeats a
    /// parameter is ignored.
    package static func all(in values: [String]) -> [AuthenticationChallenge] {
        values.flatMap { value in
            var reader = ChallengeReader(bytes: Array(value.utf8))
            return reader.challenges() ?? []
        }
    }
}

/// A parser for one field value.
private struct ChallengeReader {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Returns the challenges. Nil when the value violates the grammar.
    mutating func challenges() -> [AuthenticationChallenge]? {
        var all: [AuthenticationChallenge] = []
        // A comma separates both challenges and the parameters of one challenge. The text that follows shows which it
        // is.
        while skip([UInt8(ascii: " "), 9, UInt8(ascii: ",")]) {
            if let last = all.indices.last, let parameter = parameter() {
                guard all[last].parameters.updateValue(parameter.value, forKey: parameter.name) == nil else {
                    return nil
                }
                continue
            }
            guard let scheme = token() else { return nil }
            var challenge = AuthenticationChallenge(scheme: scheme.lowercased(), parameters: [:])
            if next == UInt8(ascii: " "), skip([UInt8(ascii: " ")]), next != UInt8(ascii: ",") {
                if let first = parameter() {
                    challenge.parameters[first.name] = first.value
                } else if !skipToken68() {
                    return nil
                }
            }
            guard isAtEnd() else { return nil }
            all.append(challenge)
        }
        return all
    }

    /// Skips all bytes in `set`. Returns whether any input is left.
    private mutating func skip(_ set: [UInt8]) -> Bool {
        while let byte = next, set.contains(byte) { position += 1 }
        return position < bytes.count
    }

    /// Parses `name = value`, where the value is a token or a quoted string. Returns nil and consumes nothing when the
    /// input has no parameter here.
    private mutating func parameter() -> (name: String, value: String)? {
        let start = position
        if let name = token(), skip([UInt8(ascii: " "), 9]), next == UInt8(ascii: "=") {
            position += 1
            _ = skip([UInt8(ascii: " "), 9])
            if let value = next == UInt8(ascii: "\"") ? quoted() : token(), isAtEnd() {
                return (name.lowercased(), value)
            }
        }
        position = start
        return nil
    }

    /// Returns whether an element of the list ends here.
    private mutating func isAtEnd() -> Bool {
        !skip([UInt8(ascii: " "), 9]) || next == UInt8(ascii: ",")
    }

    private mutating func token() -> String? {
        let start = position
        while let byte = next, Self.isToken(byte) { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    private mutating func quoted() -> String? {
        var value: [UInt8] = []
        position += 1
        while let byte = next {
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: value, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard let escaped = next else { return nil }
            value.append(escaped)
            position += 1
        }
        return nil
    }

    private mutating func skipToken68() -> Bool {
        let start = position
        while let byte = next, Self.isLetterOrDigit(byte) || Array("-._~+/".utf8).contains(byte) { position += 1 }
        guard position > start else { return false }
        _ = skip([UInt8(ascii: "=")])
        return true
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Source: RFC 9110 §5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || Array("!#$%&'*+-.^_`|~".utf8).contains(byte)
    }
}
