/// The kinds of characters that a password may need, for the gateway, which requires them, and the client, which tells
/// the person before the request.
///
/// Source: docs/protocols/onyx.md, Password rules.
package enum PasswordCharacters {
    /// The characters that count as special.
    package static let special = "!@#$%^&*()_+-=[]{}|;:,.<>?"
}
