/// Constants of Onyx's password policy that both server and client need.
///
/// Source: docs/protocols/onyx.md, Password rules.
package enum OnyxPasswordRule {
    /// The characters that count as special.
    package static let specialCharacters = "!@#$%^&*()_+-=[]{}|;:,.<>?"
}
