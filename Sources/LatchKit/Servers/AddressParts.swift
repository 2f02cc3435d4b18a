import Primitives

/// The components of a typed address, split but not yet validated individually.
///
/// Source: RFC 3986 §3 and appendix B.
struct AddressParts {
    let scheme: ServerAddress.Scheme
    let host: String
    let isBracketed: Bool
    let port: String?
    let path: String

    init(_ text: String) throws(LatchError) {
        // Compares bytes where possible. Lists of thousands of addresses are parsed here, and characters take ten times
        // as long.
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        let text = isPlain ? text : Self.trimmed(text)
        guard !text.isEmpty else { throw Self.refusal("it is empty") }
        guard text.utf8.count <= 2_048 else { throw Self.refusal("it is longer than 2048 bytes") }
        guard isPlain || !text.unicodeScalars.contains(where: Self.isForbidden) else {
            throw Self.refusal("it contains a space or a control character")
        }
        guard !text.utf8.contains(UInt8(ascii: "\\")) else {
            throw Self.refusal("it contains a backslash", "Use / between its parts.")
        }
        let (scheme, rest) = try Self.cutScheme(text)
        guard !rest.utf8.contains(UInt8(ascii: "?")), !rest.utf8.contains(UInt8(ascii: "#")) else {
            throw Self.refusal("it has a query or a fragment", "Remove the ? or # and everything after it.")
        }
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let authority = rest[..<slash]
        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw Self.refusal("it contains a user name or password", "Remove the @ and everything before it.")
        }
        self.scheme = scheme
        path = String(rest[slash...])
        (host, isBracketed, port) = try Self.cutAuthority(authority)
    }

    /// Returns the port as a number. Nil when the address has none.
    func portNumber() throws(LatchError) -> Int? {
        guard let port, !port.isEmpty else { return nil }
        guard port.utf8.count <= 5, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(port),
            (1...65_535).contains(number)
        else { throw Self.refusal("its port is not a number from 1 to 65535") }
        return number
    }

    /// Returns the path without trailing slashes and without trailing `/api`. Empty for no path.
    static func prefix(_ path: String) throws(LatchError) -> String {
        if path.utf8.allSatisfy({ $0 == UInt8(ascii: "/") }) { return "" }
        var segments = path.split(atByte: "/", omittingEmptySubsequences: false).dropFirst().map {
            PercentEncodedPath.normalized($0)
        }
        // Every trailing `/api` is removed, so that an address that is stored and parsed again stays the same.
        while let last = segments.last, last.isEmpty || last == "api" { segments.removeLast() }
        guard !segments.contains(where: { $0.isEmpty || [".", ".."].contains($0) }) else {
            throw refusal("its path has an empty part, '.' or '..'")
        }
        return segments.map { "/" + $0 }.joined()
    }

    /// Returns the error for an invalid address. Its message ends with a remedy.
    static func refusal(_ reason: String, _ remedy: String = "Write it like https://photos.example.org.") -> LatchError
    {
        LatchError(.invalidAddress, "Invalid server URL: \(reason). \(remedy)")
    }

    private static func cutScheme(_ text: String) throws(LatchError) -> (ServerAddress.Scheme, Substring) {
        guard let mark = text.schemeMark else {
            try refuseScheme(in: text)
            return (.https, text[...])
        }
        // A `://` after the first slash belongs to the path. A path with a colon is checked later.
        guard !text[..<mark.lowerBound].utf8.contains(UInt8(ascii: "/")) else { return (.https, text[...]) }
        guard let scheme = ServerAddress.Scheme(rawValue: text[..<mark.lowerBound].lowercased()) else {
            throw notWeb(text[..<mark.lowerBound])
        }
        return (scheme, text[mark.upperBound...])
    }

    /// Refuses an address without `://` that begins with a scheme, which may be mistyped. `name:8080` has none.
    private static func refuseScheme(in text: String) throws(LatchError) {
        let head = text.prefix { $0 != "/" }
        let name = head.prefix { $0 != ":" }
        let rest = text[name.endIndex...]
        if ["http", "https"].contains(name.lowercased()) {
            if rest.hasPrefix(":") { throw refusal("'\(name):' must be followed by two slashes") }
            if rest.hasPrefix("//") { throw refusal("the colon after '\(name)' is missing") }
        }
        guard rest.hasPrefix(":"), name.first?.isLetter == true,
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "+") })
        else { return }
        // A port begins with a digit. Letters and other marks are left to the check of the port.
        let next = rest.dropFirst().first
        if next == "/" || next?.isLetter == true
            || ["mailto", "javascript", "file", "data"].contains(name.lowercased())
        {
            throw notWeb(name)
        }
    }

    private static func notWeb(_ scheme: Substring) -> LatchError {
        let name = SanitizedText.clean(String(scheme.prefix(20)))
        return refusal("it begins with '\(name):', but only http and https addresses are servers")
    }

    private static func cutAuthority(_ text: Substring) throws(LatchError) -> (String, Bool, String?) {
        if text.utf8.first == UInt8(ascii: "[") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw refusal("the ] of its IPv6 address is missing")
            }
            let host = String(text[text.utf8.index(after: text.startIndex)..<end])
            let rest = text[text.utf8.index(after: end)...]
            guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ":") else {
                throw refusal("there is text between the ] and the port")
            }
            return (host, true, rest.isEmpty ? nil : String(Substring(rest.utf8.dropFirst())))
        }
        let pieces = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        guard pieces.count <= 2 else {
            throw refusal("it has several colons", "Put an IPv6 address in brackets, as in https://[2001:db8::1].")
        }
        return (String(pieces[0]), false, pieces.count == 2 ? String(pieces[1]) : nil)
    }

    private static func trimmed(_ text: String) -> String {
        let body = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let end = body.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(body[...$0]) } ?? ""
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }
}

/// Percent-encodes a segment of a path.
enum PercentEncodedPath {
    /// Returns a segment with every character encoded that RFC 3986 does not allow in a segment. An existing `%` is
    /// kept.
    static func normalized(_ segment: Substring) -> String {
        var text = ""
        for byte in segment.utf8 {
            let character = Unicode.Scalar(byte)
            if character.isASCII,
                character.properties.isAlphabetic || "0123456789-._~!$&'()*+,;=:@%".utf8.contains(byte)
            {
                text.unicodeScalars.append(character)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count == 1 ? "0" + digits : digits)
            }
        }
        return text
    }
}
