public import FoundationEssentials

/// An account that this program cannot use, because its server's address is none.
///
/// ``AccountStore/removeAccount(_:)`` removes it.
public struct UnreadableAccount: Identifiable, Hashable, Sendable {
    /// The account's id on this device.
    public let id: UUID
    /// What stands in the address's place, as it stands there: show it only with care.
    public let address: String
    /// The e-mail address by which the person signed in.
    public let userEmail: String
}

/// A row of the accounts database.
enum AccountRow: Sendable {
    case account(Account)
    case unreadable(UnreadableAccount)

    var account: Account? { if case .account(let account) = self { account } else { nil } }
    var unreadable: UnreadableAccount? { if case .unreadable(let account) = self { account } else { nil } }
}
