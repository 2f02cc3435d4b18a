package import FoundationEssentials

/// An identity at a provider that is linked to a person.
package struct PersonIdentity: Sendable, Equatable {
    /// The provider's id in the configuration.
    package let provider: String
    /// The provider's issuer.
    package let issuer: String
    /// The subject at the provider, `sub`.
    package let subject: String
    /// The id of the person.
    package let person: UUID
    /// The e-mail address that the provider sent when the identity was linked; nil when an administrator linked it.
    package let email: String?
    /// When the identity was linked.
    package let linked: Date
    /// The groups that the provider sent at the last sign-in.
    package let groups: [String]
}
