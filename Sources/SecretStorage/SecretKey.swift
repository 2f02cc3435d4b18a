/// The name under which a secret is stored.
public struct SecretKey: Sendable, Hashable {
    /// The service that the secret is for, such as `https://photos.example`.
    public let service: String
    /// The account that the secret belongs to, such as `ada@example.org`.
    public let account: String
    /// Distinguishes several secrets with the same service and account. Nil when there is at most one.
    public let id: String?

    /// Creates a name.
    public init(service: String, account: String, id: String? = nil) {
        self.service = service
        self.account = account
        self.id = id
    }

    /// The same name with the id appended to `account`, for stores that only support service and account. Its ``id`` is
    /// nil.
    public var flat: SecretKey {
        guard let id else { return self }
        return SecretKey(service: service, account: account + "/" + id)
    }
}
