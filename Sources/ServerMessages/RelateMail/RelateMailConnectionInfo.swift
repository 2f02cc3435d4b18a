import HTTPMessages

/// The connection settings for mail programs of a Relate Mail server.
///
/// Source: docs/protocols/relate-mail.md, List of keys.
package struct RelateMailConnectionInfo: Codable, Sendable, Equatable {
    /// The host name of the SMTP server, for sending mail.
    package var smtpServer: String
    /// The SMTP port with STARTTLS.
    package var smtpPort: Int
    /// The SMTP port with implicit TLS.
    package var smtpSecurePort: Int
    /// Whether SMTP is available.
    package var smtpEnabled: Bool
    /// The host name of the POP3 server, for fetching mail.
    var pop3Server: String
    /// The POP3 port with STARTTLS.
    var pop3Port: Int
    /// The POP3 port with implicit TLS.
    var pop3SecurePort: Int
    /// Whether POP3 is available.
    package var pop3Enabled: Bool
    /// The host name of the IMAP server, for reading mail.
    package var imapServer: String
    /// The IMAP port with STARTTLS.
    package var imapPort: Int
    /// The IMAP port with implicit TLS.
    package var imapSecurePort: Int
    /// Whether IMAP is available.
    package var imapEnabled: Bool
    /// The user name for mail programs. The password is an API key.
    package var username: String
    /// The number of valid API keys.
    package var activeKeyCount: Int

    /// The settings of the server for one protocol.
    package struct Service: Sendable, Equatable {
        /// The host name of the server.
        package var server: String
        /// The port with STARTTLS.
        package var port: Int
        /// The port with implicit TLS.
        package var securePort: Int
        /// Whether the service is available.
        package var isEnabled: Bool

        /// Creates the settings of one protocol.
        package init(server: String, port: Int, securePort: Int, isEnabled: Bool) {
            self.server = server
            self.port = port
            self.securePort = securePort
            self.isEnabled = isEnabled
        }
    }

    /// Creates a response.
    package init(smtp: Service, pop3: Service, imap: Service, username: String, activeKeyCount: Int) {
        (smtpServer, smtpPort, smtpSecurePort, smtpEnabled) = (smtp.server, smtp.port, smtp.securePort, smtp.isEnabled)
        (pop3Server, pop3Port, pop3SecurePort, pop3Enabled) = (pop3.server, pop3.port, pop3.securePort, pop3.isEnabled)
        (imapServer, imapPort, imapSecurePort, imapEnabled) = (imap.server, imap.port, imap.securePort, imap.isEnabled)
        self.username = username
        self.activeKeyCount = activeKeyCount
    }
}
