/// A person in Time Tracker's messages: `{"id", "username", "fullName", "email"}`. All four members are always present.
/// latchd also sends `email_verified`.
///
/// Source: TT-13; specification of Time Tracker §4; contract of Time Tracker, (a).
public struct TimeTrackerUser: Codable, Sendable, Equatable {
    /// The id of the person.
    public var id: String
    /// The user name.
    public var username: String
    /// The full name. Nil, or null in JSON, when it is not known.
    public var fullName: String?
    /// The e-mail address.
    public var email: String
    /// Whether the e-mail address was verified. Nil from a server that does not send the member.
    public var isEmailVerified: Bool?

    private enum CodingKeys: String, CodingKey {
        case id, username, fullName, email
        case isEmailVerified = "email_verified"
    }

    /// Creates a person.
    public init(id: String, username: String, fullName: String?, email: String, isEmailVerified: Bool? = nil) {
        self.id = id
        self.username = username
        self.fullName = fullName
        self.email = email
        self.isEmailVerified = isEmailVerified
    }

    /// Encodes all four members, with `null` for an unknown name, and `email_verified` if it is known.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(username, forKey: .username)
        try members.encode(fullName, forKey: .fullName)
        try members.encode(email, forKey: .email)
        try members.encodeIfPresent(isEmailVerified, forKey: .isEmailVerified)
    }
}
