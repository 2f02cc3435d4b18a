/// A family whose servers let people register an account.
///
/// Source: contract of Onyx, endpoints.
public protocol RegistrationDialect: PasswordDialect {
    /// Returns the request that registers an account.
    func registration(email: EmailAddress, password: Secret) -> DialectRequest
    /// Reads the response to ``registration(email:password:)``. Returns normally when the account was created.
    ///
    /// - Throws: ``LatchError`` for every response that does not confirm the account.
    func registered(by answer: ClientResponse, at server: ServerAddress) throws(LatchError)
}

extension PasswordRule {
    /// Returns what is wrong with a new password, as a sentence. Nil when it satisfies the rule. Servers count Unicode
    /// scalars, and so does this function.
    ///
    /// Source: contract of Onyx, b.8. The checks have the order given there.
    public func problem(of password: Secret) -> String? {
        let characters = password.withBytes { String(decoding: $0, as: UTF8.self) }.unicodeScalars
        if let minimumLength, characters.count < minimumLength {
            return "The password needs at least \(minimumLength) characters."
        }
        if let maximumLength, characters.count > maximumLength {
            return "The password may have at most \(maximumLength) characters."
        }
        for (isNeeded, name, fits) in kinds where isNeeded && !characters.contains(where: fits) {
            return "The password needs \(name)."
        }
        return nil
    }

    /// The rule as a sentence, to be shown before a person enters a password. Nil when there are no requirements.
    public var sentence: String? {
        let lengths = [minimumLength.map { "at least \($0) characters" }, maximumLength.map { "at most \($0)" }]
        let parts = lengths.compactMap(\.self) + kinds.filter(\.isNeeded).map(\.name)
        return parts.isEmpty ? nil : "The password needs " + parts.joined(separator: ", ") + "."
    }

    private var kinds: [(isNeeded: Bool, name: String, fits: (Unicode.Scalar) -> Bool)] {
        [
            (needsUppercase, "an upper-case letter", { $0.properties.isUppercase }),
            (needsLowercase, "a lower-case letter", { $0.properties.isLowercase }),
            (needsDigit, "a digit", { $0.properties.numericType != nil }),
            (
                needsSpecial, "one of \(OnyxPasswordRule.specialCharacters)",
                { OnyxPasswordRule.specialCharacters.unicodeScalars.contains($0) }
            ),
        ]
    }
}
