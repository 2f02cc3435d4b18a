/// Constants of Onyx's password policy that both server and client need.
///
/// Source: contract of Onyx, b.8.
public enum OnyxPasswordRule {
    /// The characters that count as special.
    public static let specialCharacters = "!@#$%^&*()_+-=[]{}|;:,.<>?"
}
