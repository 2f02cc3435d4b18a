import HTTPMessages
import HTTPServer
import Primitives

/// The format of a value: how to describe, read and show it.
package struct ConfigurationForm<Value: Sendable>: Sendable {
    /// A phrase that completes "it must be …": "a whole number from 1 to 9".
    let expected: String
    /// Reads a value. Relative paths start at `folder`. Nil when the value is not valid.
    let read: @Sendable (_ word: String, _ folder: String) -> Value?
    let show: @Sendable (Value) -> String
    /// Returns what is wrong with a word that ``read`` refuses, and the remedy. Nil when ``expected`` says it.
    var fault: @Sendable (_ word: String, _ folder: String) -> (reason: String, remedy: String)? = { _, _ in nil }
}

extension ConfigurationForm where Value == Bool {
    package static let boolean = ConfigurationForm(expected: "true or false") { word, _ in
        switch word.lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    } show: {
        "\($0)"
    }
}

extension ConfigurationForm where Value == Int {
    package static func number(_ range: ClosedRange<Int>) -> ConfigurationForm {
        ConfigurationForm(expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") { word, _ in
            Int(word).flatMap { range.contains($0) ? $0 : nil }
        } show: {
            "\($0)"
        }
    }

    /// A size in bytes. A number without a unit is in `unit`.
    static func bytes(_ range: ClosedRange<Int>, unit: ByteText.Unit = .bytes) -> ConfigurationForm {
        let (least, most) = (ByteText.show(range.lowerBound), ByteText.show(range.upperBound))
        return ConfigurationForm(expected: "a size from \(least) to \(most), such as 64KiB") { word, _ in
            ByteText.read(word, unit: unit).flatMap { range.contains($0) ? $0 : nil }
        } show: {
            ByteText.show($0)
        }
    }
}

extension ConfigurationForm where Value == Duration {
    package static func duration(_ range: ClosedRange<Duration>) -> ConfigurationForm {
        let (least, most) = (DurationText.show(range.lowerBound), DurationText.show(range.upperBound))
        return ConfigurationForm(expected: "a time from \(least) to \(most), such as 90s, 15m, 2h or 7d") { word, _ in
            DurationText.read(word).flatMap { range.contains($0) ? $0 : nil }
        } show: {
            DurationText.show($0)
        }
    }
}

extension ConfigurationForm where Value == String {
    /// The path of a file. A relative path starts at the folder of the configuration file. URLs such as `file:///x` are
    /// rejected, because as a relative path they would mean a file below a folder `file:`.
    static let path = ConfigurationForm(expected: "the path of a file") { word, folder in
        word.isEmpty || word.hasSuffix("/") || word.utf8.contains(0) || scheme(of: word) != nil
            ? nil : absolute(word, in: folder)
    } show: {
        $0
    }

    /// Returns the scheme of a text that begins like a URL, such as `postgres` in `postgres://host/name`. Nil for other
    /// texts.
    ///
    /// Source: RFC 3986 §3.1.
    static func scheme(of word: String) -> Substring? {
        guard let end = word.firstRange(of: "://")?.lowerBound else { return nil }
        let scheme = word[..<end]
        let isScheme =
            scheme.first.map { $0.isASCII && $0.isLetter } == true
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        return isScheme ? scheme : nil
    }

    /// The prefix of a dialect's paths.
    package static let prefix = ConfigurationForm(
        expected: "a path that begins with / and does not end with it, such as /api, or / alone"
    ) { word, _ in
        if word == "/" { return "" }
        let names = word.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count >= 2, names[0].isEmpty, names.dropFirst().allSatisfy(isPathName) else { return nil }
        return word
    } show: {
        $0.isEmpty ? "/" : $0
    }

    static func absolute(_ path: String, in folder: String) -> String {
        path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
    }

    /// Whether a path component has only unreserved characters, which no URL parser changes.
    private static func isPathName(_ name: Substring) -> Bool {
        !name.isEmpty && name != "." && name != ".."
            && name.utf8.allSatisfy { byte in
                let scalar = Character(UnicodeScalar(byte))
                return scalar.isASCII && (scalar.isLetter || scalar.isNumber || "-._~".contains(scalar))
            }
    }
}

extension ConfigurationForm where Value == String {
    /// A short text to show to people, such as a title.
    static let title = ConfigurationForm(expected: "text of at most 60 characters") { word, _ in
        word.displayName(limit: 61).flatMap { $0.count <= 60 ? $0 : nil }
    } show: {
        $0
    }
}

extension ConfigurationForm where Value == String? {
    /// The path of a file, or none.
    static let optionalPath = ConfigurationForm(expected: "the path of a file") { word, folder in
        ConfigurationForm<String>.path.read(word, folder).map { Optional($0) }
    } show: {
        $0 ?? "none"
    }
}

extension ConfigurationForm where Value == String? {
    /// The path of a folder, or none.
    package static let optionalFolder = ConfigurationForm(expected: "the path of a folder") { word, folder in
        let trimmed = word.count > 1 && word.hasSuffix("/") ? String(word.dropLast()) : word
        return ConfigurationForm<String>.path.read(trimmed, folder).map { Optional($0) }
    } show: {
        $0 ?? "none"
    }
}

extension ConfigurationForm where Value == String? {
    /// A path of a proxy other than its root, or none.
    package static let optionalLocation = ConfigurationForm(
        expected: "none, or a path that begins with / and does not end with it, such as /.latchd/pictures"
    ) { word, folder in
        if word == "none" { return .some(nil) }
        return ConfigurationForm<String>.prefix.read(word, folder).flatMap { $0.isEmpty ? nil : .some($0) }
    } show: {
        $0 ?? "none"
    }
}

extension ConfigurationForm where Value == String? {
    /// Any text. It is checked later by rules whose messages do not contain it.
    package static func optionalText(_ expected: String) -> ConfigurationForm {
        ConfigurationForm(expected: expected) { word, _ in
            .some(word)
        } show: {
            $0 ?? "none"
        }
    }

    /// An `http` or `https` address without user, query, fragment and trailing `/`.
    static let publicURL = ConfigurationForm(
        expected: "https:// or http:// and a host, optionally with a port and a path, without '/' at its end, such as "
            + "https://latch.example"
    ) { word, _ in
        guard let scheme = ["https://", "http://"].first(where: word.hasPrefix) else { return nil }
        let rest = word.dropFirst(scheme.count)
        let (authority, path) = (rest.prefix { $0 != "/" }, rest.drop { $0 != "/" })
        guard isAuthority(authority),
            path.isEmpty || ConfigurationForm<String>.prefix.read(String(path), "") == String(path)
        else { return nil }
        return .some(word)
    } show: {
        $0 ?? "none"
    }

    private static func isAuthority(_ text: Substring) -> Bool {
        var host = text
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            guard let port = UInt16(text[text.index(after: colon)...]), port > 0 else { return false }
            host = text[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { return IPAddress(String(host.dropFirst().dropLast())) != nil }
        return !host.isEmpty
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

extension ConfigurationForm {
    /// One of several words.
    package static func choice(_ words: [(word: String, value: Value)]) -> ConfigurationForm where Value: Equatable {
        ConfigurationForm(expected: words.map(\.word).joined(separator: " or ")) { word, _ in
            words.first { $0.word == word }?.value
        } show: { value in
            words.first { $0.value == value }?.word ?? ""
        }
    }
}

extension ConfigurationForm where Value == IPNetwork {
    static let network = ConfigurationForm(expected: "a network such as 10.0.0.0/8 or an address") { word, _ in
        IPNetwork(word)
    } show: {
        "\($0)"
    }
}

extension ConfigurationForm where Value == Duration? {
    /// A duration, or none.
    package static func optionalDuration(_ range: ClosedRange<Duration>) -> ConfigurationForm {
        let form = ConfigurationForm<Duration>.duration(range)
        return ConfigurationForm(expected: "none, or \(form.expected)") { word, folder in
            word == "none" ? .some(nil) : form.read(word, folder).map { Optional($0) }
        } show: {
            $0.map(form.show) ?? "none"
        }
    }
}

extension ConfigurationForm where Value == ListenAddress {
    /// A listen address. Host names are not resolved, because their addresses may change, and with them who can reach
    /// the gateway.
    static let listener = ConfigurationForm(
        expected: "address:port such as 127.0.0.1:2283 or [::]:2283, optionally after http:// or https://, "
            + "or unix: and a path"
    ) { word, folder in
        if word.hasPrefix("unix:") {
            let path = ConfigurationForm<String>.path.read(String(word.dropFirst(5)), folder)
            return path.map { ListenAddress(.unix(path: $0)) }
        }
        for (prefix, scheme) in [("http://", ListenAddress.Scheme.plain), ("https://", .tls)]
        where word.hasPrefix(prefix) {
            return address(word.dropFirst(prefix.count)).map { ListenAddress($0, scheme) }
        }
        return address(word[...]).map { ListenAddress($0) }
    } show: {
        "\($0)"
    }

    private static func address(_ word: Substring) -> Listener? {
        guard let colon = word.lastIndex(of: ":") else { return nil }
        let digits = word[word.index(after: colon)...]
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(digits) else { return nil }
        return host(word[..<colon]).map { .tcp(host: $0, port: port) }
    }

    private static func host(_ text: Substring) -> String? {
        if text == "localhost" { return "127.0.0.1" }
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.count > 2
        let inner = isBracketed ? String(text.dropFirst().dropLast()) : String(text)
        guard let address = IPAddress(inner), inner.contains(":") == isBracketed else { return nil }
        return address.description
    }
}
