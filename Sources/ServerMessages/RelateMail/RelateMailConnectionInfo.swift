/// The connection settings for mail programs of a Relate Mail server.
///
/// Source: contract of Relate Mail, endpoint table.
public struct RelateMailConnectionInfo: Codable, Sendable, Equatable {
    /// The host name of the SMTP server, for sending mail.
    public var smtpServer: String
    /// The SMTP port with STARTTLS.
    public var smtpPort: Int
    /// The SMTP port with implicit TLS.
    public var smtpSecurePort: Int
    /// Whether SMTP is available.
    public var smtpEnabled: Bool
    /// The host name of the POP3 server, for fetching mail.
    public var pop3Server: String
    /// The POP3 port with STARTTLS.
    public var pop3Port: Int
    /// The POP3 port with implicit TLS.
    public var pop3SecurePort: Int
    /// Whether POP3 is available.
    public var pop3Enabled: Bool
    /// The host name of the IMAP server, for reading mail.
    public var imapServer: String
    /// The IMAP port with STARTTLS.
    public var imapPort: Int
    /// The IMAP port with implicit TLS.
    public var imapSecurePort: Int
    /// Whether IMAP is available.
    public var imapEnabled: Bool
    /// The user name for mail programs. The password is an API key.
    public var username: String
    /// The number of valid API keys.
    public var activeKeyCount: Int

    /// The settings of the server for one protocol.
    public struct Service: Sendable, Equatable {
        /// The host name of the server.
        public var server: String
        /// The port with STARTTLS.
        public var port: Int
        /// The port with implicit TLS.
        public var securePort: Int
        /// Whether the service is available.
        public var isEnabled: Bool

        /// Creates the settings of one protocol.
        public init(server: String, port: Int, securePort: Int, isEnabled: Bool) {
            self.server = server
            self.port = port
            self.securePort = securePort
            self.isEnabled = isEnabled
        }
    }

    /// Creates a response.
    public init(smtp: Service, pop3: Service, imap: Service, username: String, activeKeyCount: Int) {
        (smtpServer, smtpPort, smtpSecurePort, smtpEnabled) = (smtp.server, smtp.port, smtp.securePort, smtp.isEnabled)
        (pop3Server, pop3Port, pop3SecurePort, pop3Enabled) = (pop3.server, pop3.port, pop3.securePort, pop3.isEnabled)
        (imapServer, imapPort, imapSecurePort, imapEnabled) = (imap.server, imap.port, imap.securePort, imap.isEnabled)
        self.username = username
        self.activeKeyCount = activeKeyCount
    }
}
