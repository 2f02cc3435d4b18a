package import FoundationEssentials

/// An account that cannot be used, because its server address is invalid.
///
/// ``AccountStore/removeAccount(_:)`` removes it.
package struct UnreadableAccount: Identifiable, Hashable, Sendable {
    /// The account's id on this device.
    package let id: UUID
    /// The stored text of the server address, unchanged. It may contain any characters, so clean it before it is shown.
    package let address: String
    /// The e-mail address that the person signed in with.
    package let userEmail: String
}

/// A row of the accounts database.
enum AccountRow: Sendable {
    case account(Account)
    case unreadable(UnreadableAccount)

    var account: Account? { if case .account(let account) = self { account } else { nil } }
    var unreadable: UnreadableAccount? { if case .unreadable(let account) = self { account } else { nil } }
}
