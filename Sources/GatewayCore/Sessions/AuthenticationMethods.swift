/// How a person authenticated at the beginning of a session, as far as it is known.
///
/// Source: RFC 8176 §2.
package struct AuthenticationMethods: Sendable, Equatable {
    /// The registered values, separated by spaces. Empty when an identity provider did not say.
    package let text: String

    /// A password of this server.
    package static let password = AuthenticationMethods(stored: "pwd")

    /// Creates a value from the `amr` of an identity provider. Only registered values are kept, each once.
    package init(reported values: [String]) {
        var known: [String] = []
        for value in values where Self.registered.contains(value) && !known.contains(value) { known.append(value) }
        text = known.joined(separator: " ")
    }

    init(stored text: String) {
        self.text = text
    }

    /// The values of `amr`.
    package var values: [String] { text.split(separator: " ").map(String.init) }

    /// How strong the methods are. Several methods of one kind are not several factors, so only the values that say
    /// that several factors were used count.
    package var level: AuthenticationLevel {
        values.contains("mfa") || values.contains("mca") ? .multiFactor : .singleFactor
    }

    private static let registered: Set = [
        "face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin", "pwd", "rba", "retina", "sc", "sms",
        "swk",
        "tel", "user", "vbm", "wia",
    ]
}

/// How strong an authentication was: the values of `acr`.
///
/// Source: OpenID Connect Core §2; RFC 9470 §3.
package enum AuthenticationLevel: String, Sendable, CaseIterable, Comparable {
    /// A password, or a sign-in at an identity provider that reported no more.
    case singleFactor = "single-factor"
    /// A sign-in at an identity provider that reported several factors or channels.
    case multiFactor = "multi-factor"

    /// Whether the first is weaker.
    package static func < (first: AuthenticationLevel, second: AuthenticationLevel) -> Bool {
        first == .singleFactor && second == .multiFactor
    }
}
