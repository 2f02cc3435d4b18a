package import FoundationEssentials

/// An identity that signed in at a provider and is linked to no person; an administrator can link it.
package struct UnlinkedIdentity: Sendable, Equatable, Identifiable {
    /// The id in the database; never reused.
    package let id: Int
    /// The provider's id in the configuration.
    package let provider: String
    /// The provider's issuer.
    package let issuer: String
    /// The subject at the provider, `sub`.
    package let subject: String
    /// The e-mail address that the provider sent; it may be unverified.
    package let email: String?
    /// The person's name that the provider sent, if any.
    package let name: String?
    /// The time of the last sign-in.
    package let seen: Date

    /// The maximum number of stored identities. Beyond it the oldest of the provider with the most are deleted.
    package static let capacity = 500
}
