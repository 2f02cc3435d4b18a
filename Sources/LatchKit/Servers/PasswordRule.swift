import Crypto
import Primitives

/// The requirements of a server for a new password. A password for sign-in is never checked against them.
///
/// Source: docs/protocols/onyx.md, Password rules; IM-17.
public struct PasswordRule: Sendable, Hashable {
    /// The minimum number of characters. Nil when the server does not say.
    public var minimumLength: Int?
    /// The maximum number of characters. Nil when the server does not say.
    public var maximumLength: Int?
    /// Whether an upper-case letter is required.
    public var needsUppercase: Bool
    /// Whether a lower-case letter is required.
    public var needsLowercase: Bool
    /// Whether a digit is required.
    public var needsDigit: Bool
    /// Whether a special character is required.
    public var needsSpecial: Bool

    /// Makes a rule. Without arguments, it has no requirements.
    package init(
        minimumLength: Int? = nil, maximumLength: Int? = nil, needsUppercase: Bool = false,
        needsLowercase: Bool = false, needsDigit: Bool = false, needsSpecial: Bool = false
    ) {
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.needsUppercase = needsUppercase
        self.needsLowercase = needsLowercase
        self.needsDigit = needsDigit
        self.needsSpecial = needsSpecial
    }
}

extension PasswordRule {
    /// Returns what is wrong with a new password, as a sentence. Nil when it satisfies the rule. Servers count Unicode
    /// scalars, and so does this function.
    ///
    /// Source: docs/protocols/onyx.md, Password rules. The checks have the order given there.
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
                needsSpecial, "one of \(PasswordCharacters.special)",
                { PasswordCharacters.special.unicodeScalars.contains($0) }
            ),
        ]
    }
}
