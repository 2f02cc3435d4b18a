import HTTPMessages

/// Constants of Onyx's password policy that both server and client need.
///
/// Source: contract of Onyx, b.8.
package enum OnyxPasswordRule {
    /// The characters that count as special.
    package static let specialCharacters = "!@#$%^&*()_+-=[]{}|;:,.<>?"
}
