package import FoundationEssentials

/// A person who may sign in.
///
/// Source: docs/gateway.md, People.
package struct Person: Sendable, Equatable, Identifiable {
    /// The id, which is created when the person is added and never reused.
    package let id: UUID
    /// The e-mail address, normalised like ``EmailAddress``.
    package let email: String
    /// The display name; nil when none was given.
    package let name: String?
    /// When the person was added.
    package let created: Date
    /// The number of times that all of the person's sessions were ended; see the schema.
    package let sessionEpoch: Int
    /// When the person was disabled; nil while signing in is allowed.
    package let disabled: Date?
    /// Whether the person administers the server.
    package let isAdministrator: Bool
    /// Whether an identity provider has verified the address.
    package let isVerified: Bool
    /// Whether the person must choose another password before they can do anything else.
    package internal(set) var mustChangePassword = false
    /// The colour of the person's avatar, as the person chose it; nil when none was chosen.
    package internal(set) var avatarColor: String?
    /// Whether an administrator entered or confirmed the address.
    var isVouched = false

    /// Whether the person may sign in.
    package var isActive: Bool { disabled == nil }
    /// The address, if a provider or an administrator has confirmed it; nil for an address that only the person claims.
    /// Code that tells another server who a person is, or grants access by address, must use this property.
    package var provedAddress: EmailAddress? { isVerified || isVouched ? EmailAddress(stored: email) : nil }
    /// Whether a provider or an administrator has confirmed the address.
    package var hasProvedAddress: Bool { provedAddress != nil }
    /// The name of the person for other servers: the proved address, otherwise the id.
    package var username: String { provedAddress?.text ?? id.uuidString.lowercased() }
}
