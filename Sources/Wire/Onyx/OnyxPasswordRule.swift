/// Constants of Onyx's password policy that both ends need.
///
/// Source: contract of Onyx, b.8.
public enum OnyxPasswordRule {
    /// The characters that count as special.
    public static let specialCharacters = "!@#$%^&*()_+-=[]{}|;:,.<>?"
}
