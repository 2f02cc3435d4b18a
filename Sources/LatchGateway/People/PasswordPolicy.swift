public import Crypto
import Wire

/// What a new password must be; told at `GET /auth/type`, and asked when one is set, never when one is used.
///
/// Source: contract of Onyx, b.8.
public struct PasswordPolicy: Sendable, Equatable {
    /// The shortest length, in Unicode scalars. `8` by default.
    public var minimumLength: Int
    /// The greatest length, in Unicode scalars. `64` by default.
    public var maximumLength: Int
    /// Whether an upper-case letter must be there.
    public var requiresUppercase: Bool
    /// Whether a lower-case letter must be there.
    public var requiresLowercase: Bool
    /// Whether a digit must be there.
    public var requiresDigit: Bool
    /// Whether one of `OnyxPasswordRule.specialCharacters` must be there.
    public var requiresSpecialCharacter: Bool

    /// Makes a policy; the defaults are Onyx's own.
    public init(
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

    /// The rules for a new password, as a sentence.
    var hint: String {
        let parts = [
            (requiresUppercase, "an upper-case letter"), (requiresLowercase, "a lower-case letter"),
            (requiresDigit, "a digit"), (requiresSpecialCharacter, "a special character"),
        ].filter(\.0).map(\.1)
        let count = "\(minimumLength) to \(maximumLength) characters"
        guard let last = parts.last else { return count + "." }
        let others = parts.dropLast().joined(separator: ", ")
        return "\(count), with \(others.isEmpty ? last : "\(others) and \(last)")."
    }

    /// The sentence of the first rule that `password` breaks, or nil when it breaks none.
    ///
    /// Whatever the policy says, no more than `PasswordHash.maximumPasswordCount` bytes can be hashed.
    ///
    /// The rules are asked in this order: shortest, longest, upper case, lower case, digit, special character.
    public func complaint(about password: Secret) -> String? {
        let scalars = password.reveal().unicodeScalars
        // No form can bring one back at the sign-in.
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
        let special = OnyxPasswordRule.specialCharacters
        if requiresSpecialCharacter, !scalars.contains(where: { special.unicodeScalars.contains($0) }) {
            return "Password must contain at least one special character from the following set: \(special)."
        }
        return nil
    }

    /// Refuses a password that breaks a rule.
    ///
    /// - Throws: ``GatewayError/Code/weakPassword`` with the rule's sentence.
    public func check(_ password: Secret) throws(GatewayError) {
        if let complaint = complaint(about: password) { throw GatewayError(.weakPassword, complaint) }
    }
}
