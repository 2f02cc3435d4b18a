/// How mail programs reach a server of Relate Mail.
///
/// Source: contract of Relate Mail, endpoint table.
public struct RelateMailConnectionInfo: Codable, Sendable, Equatable {
    /// The name of the server that mail is sent through.
    public var smtpServer: String
    /// Its port where encryption is asked for after connecting.
    public var smtpPort: Int
    /// Its port with encryption from the beginning.
    public var smtpSecurePort: Int
    /// Whether it is there.
    public var smtpEnabled: Bool
    /// The name of the server that mail is fetched from.
    public var pop3Server: String
    /// Its port where encryption is asked for after connecting.
    public var pop3Port: Int
    /// Its port with encryption from the beginning.
    public var pop3SecurePort: Int
    /// Whether it is there.
    public var pop3Enabled: Bool
    /// The name of the server that mail is read at.
    public var imapServer: String
    /// Its port where encryption is asked for after connecting.
    public var imapPort: Int
    /// Its port with encryption from the beginning.
    public var imapSecurePort: Int
    /// Whether it is there.
    public var imapEnabled: Bool
    /// The name to sign in with, a key being the password.
    public var username: String
    /// How many keys are good.
    public var activeKeyCount: Int

    /// A server of one kind.
    public struct Service: Sendable, Equatable {
        /// Its name.
        public var server: String
        /// Its port where encryption is asked for after connecting.
        public var port: Int
        /// Its port with encryption from the beginning.
        public var securePort: Int
        /// Whether it is there.
        public var isEnabled: Bool

        /// Makes the value.
        public init(server: String, port: Int, securePort: Int, isEnabled: Bool) {
            self.server = server
            self.port = port
            self.securePort = securePort
            self.isEnabled = isEnabled
        }
    }

    /// Makes an answer.
    public init(smtp: Service, pop3: Service, imap: Service, username: String, activeKeyCount: Int) {
        (smtpServer, smtpPort, smtpSecurePort, smtpEnabled) = (smtp.server, smtp.port, smtp.securePort, smtp.isEnabled)
        (pop3Server, pop3Port, pop3SecurePort, pop3Enabled) = (pop3.server, pop3.port, pop3.securePort, pop3.isEnabled)
        (imapServer, imapPort, imapSecurePort, imapEnabled) = (imap.server, imap.port, imap.securePort, imap.isEnabled)
        self.username = username
        self.activeKeyCount = activeKeyCount
    }
}
