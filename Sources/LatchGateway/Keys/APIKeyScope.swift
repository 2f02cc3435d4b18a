/// What a key may be used for.
///
/// Source: contract of Relate Mail, rule 12.
public enum APIKeyScope: String, Sendable, CaseIterable {
    /// Sending mail.
    case smtp
    /// Fetching mail.
    case pop3
    /// Reading mail.
    case imap
    /// Reading by the programming interface.
    case read = "api:read"
    /// Writing by the programming interface.
    case write = "api:write"
    /// The apps.
    case app

    /// The scope that a client wrote, in whatever case.
    public init?(written text: String) {
        self.init(rawValue: text.lowercased())
    }
}
