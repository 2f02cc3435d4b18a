/// The name under which a secret is kept.
public struct SecretKey: Sendable, Hashable {
    /// What the secret is for, as `https://photos.example`.
    public let service: String
    /// Whose it is, as `ada@example.org`.
    public let account: String

    /// Makes a name.
    public init(service: String, account: String) {
        self.service = service
        self.account = account
    }
}
