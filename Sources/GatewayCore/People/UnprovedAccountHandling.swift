/// What happens to an account that may belong to another person than the owner of its e-mail address when an identity is
/// linked to it.
package enum UnprovedAccountHandling: Sendable {
    /// The identity is not linked.
    case refused
    /// The account is given to the person of the identity: its password, PIN and other identities are removed, its
    /// sessions end and its keys are revoked. The administrator who links it confirms the address.
    case replaced
    /// The account stays as it is, because its own person links the identity.
    case kept
}
