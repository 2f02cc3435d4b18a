import GatewayCore

/// Addresses that clients may register: those on a host, or those of the scheme of an app.
package struct RegistrationRedirect: Sendable, Equatable {
    private enum Kind: Equatable {
        case host(AccessHostPattern), scheme(String)
    }

    /// The text as in the configuration.
    let text: String
    private let kind: Kind

    /// Reads `app.example.org`, which matches any port, `app.example.org:8443`, `*.example.org`, which matches every
    /// subdomain, or `com.example.app:*`, which matches every address with this scheme. Nil for other texts.
    package init?(_ text: String) {
        self.text = text
        guard text.hasSuffix(":*") else {
            guard let host = AccessHostPattern(text) else { return nil }
            kind = .host(host)
            return
        }
        let scheme = String(text.dropLast(2))
        let isScheme = scheme.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
                UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isScheme, let first = scheme.first, first.isLetter, scheme != "https", scheme != "http" else {
            return nil
        }
        kind = .scheme(scheme)
    }

    /// Whether an address that a client may register is one of these. The caller has checked its form.
    package func covers(_ redirect: String) -> Bool {
        let scheme = redirect.prefix { $0 != ":" }
        switch kind {
        case .scheme(let allowed): return scheme == allowed
        case .host(let pattern):
            guard scheme == "https" || scheme == "http" else { return false }
            let authority = redirect.dropFirst(scheme.utf8.count + 3).prefix { $0 != "/" && $0 != "?" }
            return AccessHost(authority).map { pattern.covers($0, String(scheme)) } ?? false
        }
    }
}

extension ConfigurationForm where Value == RegistrationRedirect {
    static let registrationRedirect = ConfigurationForm(
        expected: "a host such as app.example.org, *.example.org or localhost, or a scheme such as com.example.app:*"
    ) { word, _ in
        RegistrationRedirect(word)
    } show: {
        $0.text
    }
}
