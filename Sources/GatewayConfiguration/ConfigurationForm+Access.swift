import FoundationEssentials
import GatewayCore
import HTTPMessages

extension ConfigurationForm where Value == String {
    static let accessHost = ConfigurationForm(
        expected: "a host such as app.example.org, app.example.org:8443 or *.example.org"
    ) { word, _ in
        AccessHostPattern(word) == nil ? nil : word
    } show: {
        $0
    }

    static let accessPath = ConfigurationForm(
        expected:
            "a path such as /health, or /share/* for all below it, without '..', '//', ';' or escaped slashes and dots"
    ) { word, _ in
        AccessPathPattern(word) == nil ? nil : word
    } show: {
        $0
    }

    static let accessUser = ConfigurationForm(expected: "an e-mail address, or an id from 'latchd user show'") {
        word, _ in
        UUID(uuidString: word) != nil || (try? EmailAddress(word)) != nil ? word : nil
    } show: {
        $0
    }

    static let group = ConfigurationForm(expected: "a group name of at most 256 bytes, as the provider sends it") {
        word, _ in
        let isPlain = word.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return (1...256).contains(word.utf8.count) && isPlain ? word : nil
    } show: {
        $0
    }
}

extension ConfigurationForm where Value == String {
    /// A scope of OAuth.
    ///
    /// Source: RFC 6749 §3.3.
    static let scope = ConfigurationForm(expected: "a scope of 1 to 64 visible ASCII characters without \" and \\") {
        word, _ in
        word.utf8.count <= 64 ? ConfigurationForm<String>.word.read(word, "") : nil
    } show: {
        $0
    }

    /// A path other than the root.
    static let wholePath = ConfigurationForm(
        expected: "a path that begins with / and does not end with it, such as /auth/verify"
    ) { word, folder in
        word == "/" ? nil : ConfigurationForm<String>.prefix.read(word, folder)
    } show: {
        $0
    }
}

extension ConfigurationForm where Value == HTTPMethod {
    static let method = ConfigurationForm(expected: "a method in capital letters, such as GET") { word, _ in
        let isMethod = word.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") }
        return isMethod && (1...32).contains(word.utf8.count) ? HTTPMethod(rawValue: word) : nil
    } show: {
        $0.rawValue
    }
}

extension ConfigurationForm where Value == String? {
    /// A domain with at least two labels and without a leading dot, or none.
    static let cookieDomain = ConfigurationForm(expected: "a domain such as example.org, or none") { word, _ in
        if word == "none" { return .some(nil) }
        guard let host = AccessHost(word), host.port == nil, host.name == word, word.contains("."),
            IPAddress(word) == nil, !word.hasPrefix("[")
        else { return nil }
        return .some(word)
    } show: {
        $0 ?? "none"
    }
}
