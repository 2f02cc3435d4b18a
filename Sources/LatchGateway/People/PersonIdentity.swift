public import FoundationEssentials

/// A person's identity at a provider, as it was linked.
public struct PersonIdentity: Sendable, Equatable {
    /// The provider's id in the configuration.
    public let provider: String
    /// The provider's name for itself.
    public let issuer: String
    /// The person's name at the provider.
    public let subject: String
    /// Whose it is.
    public let person: UUID
    /// The e-mail address that the provider told when it was linked.
    public let email: String?
    /// When it was linked.
    public let linked: Date
    /// The groups that the provider told at the last sign-in.
    public let groups: [String]
}
