import HTTPMessages

/// A person in Time Tracker's messages: `{"id", "username", "fullName", "email"}`. All four members are always present.
/// latchd also sends `email_verified`.
///
/// Source: TT-13; docs/protocols/time-tracker.md, Current user.
package struct TimeTrackerUser: Codable, Sendable, Equatable {
    /// The id of the person.
    package var id: String
    /// The user name.
    package var username: String
    /// The full name. Nil, or null in JSON, when it is not known.
    package var fullName: String?
    /// The e-mail address.
    package var email: String
    /// Whether the e-mail address was verified. Nil from a server that does not send the member.
    package var isEmailVerified: Bool?

    private enum CodingKeys: String, CodingKey {
        case id, username, fullName, email
        case isEmailVerified = "email_verified"
    }

    /// Creates a person.
    package init(id: String, username: String, fullName: String?, email: String, isEmailVerified: Bool? = nil) {
        self.id = id
        self.username = username
        self.fullName = fullName
        self.email = email
        self.isEmailVerified = isEmailVerified
    }

    /// Encodes all four members, with `null` for an unknown name, and `email_verified` if it is known.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(username, forKey: .username)
        try members.encode(fullName, forKey: .fullName)
        try members.encode(email, forKey: .email)
        try members.encodeIfPresent(isEmailVerified, forKey: .isEmailVerified)
    }
}
