import OpenIDConnect
import Primitives
import SignInBridge

extension ConfigurationForm where Value == String {
    private static let redirectExpectation =
        "the address of an app, such as com.example.app:/callback or https://app.example/callback"

    /// An address in an app that a sign-in may end at.
    package static let redirect = redirect(acceptsLocalhost: false)

    /// An address that a sign-in to a client of the authorization server may end at.
    static let clientRedirect = redirect(acceptsLocalhost: true)

    private static func redirect(acceptsLocalhost: Bool) -> ConfigurationForm {
        ConfigurationForm(expected: redirectExpectation) { word, _ in
            AllowedRedirects.problem(with: word, acceptsLocalhost: acceptsLocalhost) == nil ? word : nil
        } show: {
            $0
        } fault: { word, _ in
            AllowedRedirects.problem(with: word, acceptsLocalhost: acceptsLocalhost)
                .map { ($0, "it must be \(redirectExpectation)") }
        }
    }

    package static let word = ConfigurationForm(expected: "a word without spaces or quotation marks") { word, _ in
        let isWord = word.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        return isWord && !word.isEmpty ? word : nil
    } show: {
        $0
    }

    /// The domain of an e-mail address, converted to lower case.
    static let domain = ConfigurationForm(expected: "a domain such as example.org") { word, _ in
        let names = word.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        let isDomain = names.allSatisfy { name in
            !name.isEmpty && !name.hasPrefix("-") && !name.contains { $0.isWhitespace || "@/:*".contains($0) }
        }
        return isDomain ? word.lowercased() : nil
    } show: {
        $0
    }

    static let parameter = ConfigurationForm(expected: "name=value, such as prompt=select_account") { word, _ in
        let name = word.prefix { $0 != "=" }
        return name.isEmpty || name.count == word.count ? nil : word
    } show: {
        $0
    }
}

extension ConfigurationForm where Value == String? {
    /// A text to show to people.
    static let shown = ConfigurationForm(expected: "text of 1 to 80 characters") { word, _ in
        let text = word.displayName(limit: 80)
        return text == word ? .some(text) : nil
    } show: {
        $0 ?? "none"
    }

    /// Source: Apple, "Creating a client secret".
    static let appleID = ConfigurationForm(expected: "the 10 capital letters and digits that Apple shows") { word, _ in
        let isID = word.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
        return isID && word.utf8.count == 10 ? .some(word) : nil
    } show: {
        $0 ?? "none"
    }
}

extension ConfigurationForm where Value == ResponseMode? {
    static let responseMode = ConfigurationForm(expected: "query or form_post") { word, _ in
        switch word {
        case "none": .some(nil)
        default: ResponseMode(rawValue: word).map { Optional($0) }
        }
    } show: {
        $0?.rawValue ?? "none"
    }
}

extension ConfigurationForm where Value == ProviderDraft.Authentication? {
    /// A client authentication method, in short form or as in discovery documents.
    static let authentication = ConfigurationForm(expected: "basic, post or none") { word, _ in
        switch word {
        case "basic", "client_secret_basic": .some(.some(.basic))
        case "post", "client_secret_post": .some(.some(.post))
        case "none": .some(.some(ProviderDraft.Authentication.none))
        default: nil
        }
    } show: { _ in
        "basic"
    }
}
