/// Something the gateway was asked to do and did not.
///
/// Errors of the database pass through as they are; this one tells what the gateway itself refuses.
public struct GatewayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of refusal it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String {
            case unknownPerson, personExists, invalidEmail, weakPassword, unknownSession, busy, closed, file,
                codeExists, codeStore, personDisabled, notInvited, domainRefused, emailUnverified, identityRefused,
                routes, invalidPIN, pinExists, signingKey, unknownKey,
                tooManyKeys, passwordChangeRequired, recentSignInRequired, lastAdministrator, unknownIdentity,
                signedOut
        }
        private let base: Base

        /// Nobody has this e-mail address or id, or not any more.
        public static let unknownPerson = Code(base: .unknownPerson)
        /// Somebody has this e-mail address already.
        public static let personExists = Code(base: .personExists)
        /// The text is no e-mail address.
        public static let invalidEmail = Code(base: .invalidEmail)
        /// The password breaks the policy; the message is the rule's sentence.
        public static let weakPassword = Code(base: .weakPassword)
        /// No live session has this id.
        public static let unknownSession = Code(base: .unknownSession)
        /// The queue of password hashing is full; try again in a second.
        public static let busy = Code(base: .busy)
        /// The gateway is closed.
        public static let closed = Code(base: .closed)
        /// A log file could not be opened, or a file that was to be sent has changed.
        public static let file = Code(base: .file)

        /// A one-time code is kept under this key already.
        public static let codeExists = Code(base: .codeExists)

        /// The store of one-time codes does not answer.
        public static let codeStore = Code(base: .codeStore)

        /// No key that is good has this id.
        public static let unknownKey = Code(base: .unknownKey)
        /// The person has as many keys as may be.
        public static let tooManyKeys = Code(base: .tooManyKeys)

        /// The person must change their password before anything else.
        public static let passwordChangeRequired = Code(base: .passwordChangeRequired)
        /// The action needs a recent sign-in.
        public static let recentSignInRequired = Code(base: .recentSignInRequired)
        /// The server would have no administrator any more.
        public static let lastAdministrator = Code(base: .lastAdministrator)

        /// The person may not sign in any more.
        public static let personDisabled = Code(base: .personDisabled)
        /// Nobody here is the person whom a provider signed in, and none is to be made.
        public static let notInvited = Code(base: .notInvited)
        /// The domain of the person's e-mail address may not come in.
        public static let domainRefused = Code(base: .domainRefused)
        /// The provider has not verified the person's e-mail address.
        public static let emailUnverified = Code(base: .emailUnverified)
        /// The identity is nobody's here and must not be linked.
        public static let identityRefused = Code(base: .identityRefused)

        /// The person was signed out everywhere since a provider said who it is.
        public static let signedOut = Code(base: .signedOut)

        /// No sign-in from the provider has had this subject.
        public static let unknownIdentity = Code(base: .unknownIdentity)

        /// Two dialects would answer the same requests.
        public static let routes = Code(base: .routes)

        /// The text is no PIN.
        public static let invalidPIN = Code(base: .invalidPIN)
        /// The person has a PIN already.
        public static let pinExists = Code(base: .pinExists)

        /// There is no key to sign a token with.
        public static let signingKey = Code(base: .signingKey)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of refusal.
    public let code: Code
    /// One sentence for a person: what was asked, of what, and what to do. Never holds a secret.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static let codeExists = GatewayError(.codeExists, "A one-time code of this value is waiting already; make another.")

    static let changedMeanwhile = GatewayError(
        .unknownPerson,
        "The person's account or this session was changed just now, so nothing else was changed. Sign in again.")

    /// The message.
    public var description: String { message }
}
