/// A permission of an API key.
///
/// Source: docs/protocols/relate-mail.md, Scopes.
package enum APIKeyScope: String, Sendable, CaseIterable {
    /// Sending mail with SMTP.
    case smtp
    /// Fetching mail with POP3.
    case pop3
    /// Reading mail with IMAP.
    case imap
    /// Reading through the API.
    case read = "api:read"
    /// Making changes through the API.
    case write = "api:write"
    /// Reading and making changes through the API, for apps.
    case app

    /// Creates the scope that a client wrote, ignoring case; nil when there is no such scope.
    package init?(written text: String) {
        self.init(rawValue: text.lowercased())
    }
}
