/// A person with an account at the development provider.
public struct ProviderPerson: Sendable, Equatable {
    /// The `sub` claim: unique and never reused, at most 255 ASCII characters.
    public var subject: String
    /// The e-mail address in lower case, which is also the user name.
    public var email: String
    /// The password. It is shown on the sign-in page, because it protects nothing of value.
    public var password: String
    /// The display name.
    public var name: String
    /// The `email_verified` claim.
    public var isEmailVerified: Bool
    /// The `groups` claim. It is omitted when empty.
    public var groups: [String]

    /// Creates a person. The default subject is the local part of the e-mail address.
    public init(
        email: String, password: String, name: String, isEmailVerified: Bool = true, subject: String? = nil,
        groups: [String] = []
    ) {
        self.subject = subject ?? String(email.prefix { $0 != "@" })
        self.email = email
        self.password = password
        self.name = name
        self.isEmailVerified = isEmailVerified
        self.groups = groups
    }
}
