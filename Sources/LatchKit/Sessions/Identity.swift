public import FoundationEssentials

/// The signed-in person, as reported by the server.
public struct Identity: Sendable, Hashable, Identifiable, Codable {
    /// The person's id on that server.
    public var id: String
    /// The e-mail address.
    public var email: String
    /// The person's name. Nil when the server has none.
    public var name: String?
    /// The person's scopes. Empty when the server does not say.
    public var scopes: [String]
    /// When the token expires. Nil when the server does not say.
    public var tokenExpires: Date?
    /// Whether the server requires a password change before anything else. Nil when the server does not say.
    public var mustChangePassword: Bool?

    /// The version of the person's profile picture; another one means that the picture has changed. Nil when the
    /// person has no picture, or the server has no pictures.
    package var pictureVersion: String?

    /// Makes an identity.
    package init(id: String, email: String, name: String? = nil, scopes: [String] = [], tokenExpires: Date? = nil) {
        self.id = id
        self.email = email
        self.name = name
        self.scopes = scopes
        self.tokenExpires = tokenExpires
    }
}
