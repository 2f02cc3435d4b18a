/// Somebody whom the development provider knows.
public struct ProviderPerson: Sendable, Equatable {
    /// The `sub` claim: never used for another, up to 255 ASCII characters.
    public var subject: String
    /// The e-mail address, which is also the name to sign in with; lower case.
    public var email: String
    /// The password, shown on the sign-in page: nothing that it opens is worth anything.
    public var password: String
    /// The name to show.
    public var name: String
    /// The `email_verified` claim.
    public var isEmailVerified: Bool
    /// The `groups` claim; it is left out where there are none.
    public var groups: [String]

    /// Makes a person; the subject is the e-mail address's local part unless another is given.
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
