/// A person in Time Tracker's messages: `{"id", "username", "fullName", "email"}`, all four always present, and from latchd
/// also `email_verified`.
///
/// Source: TT-13; specification of Time Tracker §4; contract of Time Tracker, (a).
public struct TimeTrackerUser: Codable, Sendable, Equatable {
    /// The id.
    public var id: String
    /// What the person is called among users.
    public var username: String
    /// The whole name; null where it is not known.
    public var fullName: String?
    /// The e-mail address.
    public var email: String
    /// Whether the address was verified; nil from a server that does not send the member.
    public var isEmailVerified: Bool?

    private enum CodingKeys: String, CodingKey {
        case id, username, fullName, email
        case isEmailVerified = "email_verified"
    }

    /// Makes a person.
    public init(id: String, username: String, fullName: String?, email: String, isEmailVerified: Bool? = nil) {
        self.id = id
        self.username = username
        self.fullName = fullName
        self.email = email
        self.isEmailVerified = isEmailVerified
    }

    /// Writes all four members, an unknown name as null, and `email_verified` if it is known.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(username, forKey: .username)
        try members.encode(fullName, forKey: .fullName)
        try members.encode(email, forKey: .email)
        try members.encodeIfPresent(isEmailVerified, forKey: .isEmailVerified)
    }
}
