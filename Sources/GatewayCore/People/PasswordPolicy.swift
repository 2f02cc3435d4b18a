package import Crypto
import HTTPMessages
import Primitives

/// The rules for new passwords. `GET /auth/type` publishes them. They are checked when a password is set, not when it
/// is used.
///
/// Source: docs/protocols/onyx.md, Password rules.
package struct PasswordPolicy: Sendable, Equatable {
    /// The minimum length, in Unicode scalars. `8` by default.
    package var minimumLength: Int
    /// The maximum length, in Unicode scalars. `64` by default.
    package var maximumLength: Int
    /// Whether a password must contain an upper-case letter. `false` by default.
    package var requiresUppercase: Bool
    /// Whether a password must contain a lower-case letter. `false` by default.
    package var requiresLowercase: Bool
    /// Whether a password must contain a digit. `false` by default.
    package var requiresDigit: Bool
    /// Whether a password must contain one of `PasswordCharacters.special`. `false` by default.
    package var requiresSpecialCharacter: Bool

    /// Creates a policy. The default values are those of Onyx.
    package init(
        minimumLength: Int = 8, maximumLength: Int = 64, requiresUppercase: Bool = false,
        requiresLowercase: Bool = false, requiresDigit: Bool = false, requiresSpecialCharacter: Bool = false
    ) {
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.requiresUppercase = requiresUppercase
        self.requiresLowercase = requiresLowercase
        self.requiresDigit = requiresDigit
        self.requiresSpecialCharacter = requiresSpecialCharacter
    }

    /// The rules for a new password, as a sentence for people.
    package var hint: String {
        let parts = [
            (requiresUppercase, "an upper-case letter"), (requiresLowercase, "a lower-case letter"),
            (requiresDigit, "a digit"), (requiresSpecialCharacter, "a special character"),
        ].filter(\.0).map(\.1)
        let count = "\(minimumLength) to \(maximumLength) characters"
        guard let last = parts.last else { return count + "." }
        let others = parts.dropLast().joined(separator: ", ")
        return "\(count), with \(others.isEmpty ? last : "\(others) and \(last)")."
    }

    /// Returns the message for the first rule that `password` breaks, or nil if it breaks none.
    ///
    /// Regardless of the policy, a password of more than `PasswordHash.maximumPasswordCount` bytes is refused, because
    /// it cannot be hashed.
    ///
    /// The rules are checked in this order: NUL character, minimum length, maximum length, upper case, lower case,
    /// digit, special character.
    package func violation(in password: Secret) -> String? {
        let scalars = password.reveal().unicodeScalars
        // A sign-in form cannot send a NUL character.
        if scalars.contains("\0") { return "Password must not contain a NUL character." }
        if scalars.count < minimumLength { return "Password must be at least \(minimumLength) characters long." }
        if scalars.count > maximumLength || password.count > PasswordHash.maximumPasswordCount {
            return "Password must not exceed \(maximumLength) characters."
        }
        if requiresUppercase, !scalars.contains(where: { $0.properties.isUppercase }) {
            return "Password must contain at least one uppercase letter."
        }
        if requiresLowercase, !scalars.contains(where: { $0.properties.isLowercase }) {
            return "Password must contain at least one lowercase letter."
        }
        if requiresDigit, !scalars.contains(where: { $0.properties.generalCategory == .decimalNumber }) {
            return "Password must contain at least one number."
        }
        let special = PasswordCharacters.special
        if requiresSpecialCharacter, !scalars.contains(where: { special.unicodeScalars.contains($0) }) {
            return "Password must contain at least one special character from the following set: \(special)."
        }
        return nil
    }

    /// Throws if a password breaks a rule.
    ///
    /// - Throws: ``GatewayError/Code/weakPassword`` with the message for the rule.
    package func check(_ password: Secret) throws(GatewayError) {
        if let violation = violation(in: password) { throw GatewayError(.weakPassword, violation) }
    }
}
