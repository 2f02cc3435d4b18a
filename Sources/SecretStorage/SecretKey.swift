/// The name under which a secret is kept.
public struct SecretKey: Sendable, Hashable {
    /// What the secret is for, as `https://photos.example`.
    public let service: String
    /// Whose it is, as `ada@example.org`.
    public let account: String
    /// Tells several secrets with the same service and account apart; nil when there is at most one.
    public let id: String?

    /// Makes a name.
    public init(service: String, account: String, id: String? = nil) {
        self.service = service
        self.account = account
        self.id = id
    }

    /// The same name with the id as a part of `account`, for stores that know only service and account.
    var flat: SecretKey {
        guard let id else { return self }
        return SecretKey(service: service, account: account + "/" + id)
    }
}
