/// The name under which a secret is kept.
public struct SecretKey: Sendable, Hashable {
    /// What the secret is for, as `https://photos.example`.
    public let service: String
    /// Whose it is, as `ada@example.org`.
    public let account: String
    /// Which of several with the same service and account it is; nil where there is one at most.
    public let id: String?

    /// Makes a name.
    public init(service: String, account: String, id: String? = nil) {
        self.service = service
        self.account = account
        self.id = id
    }

    /// The same name in two parts.
    var flat: SecretKey {
        guard let id else { return self }
        return SecretKey(service: service, account: account + "/" + id)
    }
}
