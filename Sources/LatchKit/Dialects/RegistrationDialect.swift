/// A family whose servers let people make an account for themselves.
///
/// Source: contract of Onyx, endpoints.
public protocol RegistrationDialect: PasswordDialect {
    /// The request that makes an account.
    func registration(email: EmailAddress, password: Secret) -> DialectRequest
    /// Reads the answer to ``registration(email:password:)``.
    ///
    /// - Throws: ``LatchError`` for every answer that makes no account.
    func registered(by answer: ClientResponse, at server: ServerAddress) throws(LatchError)
}

extension PasswordRule {
    /// What is wrong with a new password, as a sentence; nil when nothing is. Servers count characters as Unicode does.
    ///
    /// Source: contract of Onyx, b.8, in its order.
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

    /// The rule in words, to be shown before a password is asked for; nil when there is none.
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
