public import FoundationEssentials

/// Whoever signed in at a provider and is nobody here: an administrator may say who it is.
public struct UnlinkedIdentity: Sendable, Equatable, Identifiable {
    /// Its number here, never used again for another.
    public let id: Int
    /// The provider's id in the configuration.
    public let provider: String
    /// The provider's name for itself.
    public let issuer: String
    /// The person's name at the provider.
    public let subject: String
    /// The e-mail address that the provider told, which nobody need have verified.
    public let email: String?
    /// What the person is called there, if told.
    public let name: String?
    /// When it came last.
    public let seen: Date

    /// How many are kept: the last ones.
    static let capacity = 500
}
