public import FoundationEssentials

/// An identity that signed in at a provider and is linked to no person; an administrator can link it.
public struct UnlinkedIdentity: Sendable, Equatable, Identifiable {
    /// The id in the database; never reused.
    public let id: Int
    /// The provider's id in the configuration.
    public let provider: String
    /// The provider's issuer.
    public let issuer: String
    /// The subject at the provider, `sub`.
    public let subject: String
    /// The e-mail address that the provider sent; it may be unverified.
    public let email: String?
    /// The person's name that the provider sent, if any.
    public let name: String?
    /// The time of the last sign-in.
    public let seen: Date

    /// The maximum number of stored identities. The oldest are deleted.
    static let capacity = 500
}
