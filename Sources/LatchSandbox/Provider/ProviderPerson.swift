/// A person with an account at the development provider.
package struct ProviderPerson: Sendable, Equatable {
    /// The `sub` claim: unique and never reused, at most 255 ASCII characters.
    package var subject: String
    /// The e-mail address in lower case, which is also the user name.
    package var email: String
    /// The password. It is shown on the sign-in page, because it protects nothing of value.
    package var password: String
    /// The display name.
    package var name: String
    /// The `email_verified` claim.
    package var isEmailVerified: Bool
    /// The `groups` claim. It is omitted when empty.
    package var groups: [String]

    /// Creates a person. The default subject is the local part of the e-mail address.
    package init(
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
