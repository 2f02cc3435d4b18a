public import FoundationEssentials

/// An identity at a provider that is linked to a person.
public struct PersonIdentity: Sendable, Equatable {
    /// The provider's id in the configuration.
    public let provider: String
    /// The provider's issuer.
    public let issuer: String
    /// The subject at the provider, `sub`.
    public let subject: String
    /// The id of the person.
    public let person: UUID
    /// The e-mail address that the provider sent when the identity was linked; nil when an administrator linked it.
    public let email: String?
    /// When the identity was linked.
    public let linked: Date
    /// The groups that the provider sent at the last sign-in.
    public let groups: [String]
}
