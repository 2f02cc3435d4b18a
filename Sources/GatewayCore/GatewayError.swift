/// The reason why the gateway refused an operation.
///
/// Errors of the database are not wrapped in this type.
package struct GatewayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of refusals.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String {
            case unknownPerson, personExists, invalidEmail, weakPassword, unknownSession, busy, closed, file,
                codeExists, codeStore, codeUsed, personDisabled, notInvited, domainRefused, emailUnverified,
                identityRefused, addressUnproved, sessionEnded, administratorsOnly,
                routes, invalidPIN, pinExists, signingKey, unknownKey,
                tooManyKeys, passwordChangeRequired, recentSignInRequired, lastAdministrator, unknownIdentity,
                signedOut, database, unknownClient, clientChanged, tooManyClients, tooManySessions, invalidBan,
                unknownBan
        }
        private let base: Base

        /// No person has this e-mail address or id, or the person was removed.
        package static let unknownPerson = Code(base: .unknownPerson)
        /// Another person already has this e-mail address.
        package static let personExists = Code(base: .personExists)
        /// The text is not an e-mail address.
        package static let invalidEmail = Code(base: .invalidEmail)
        /// The password does not meet the policy. The message is the sentence of the violated rule.
        package static let weakPassword = Code(base: .weakPassword)
        /// No live session has this id.
        package static let unknownSession = Code(base: .unknownSession)
        /// A queue of work is full, such as that of password hashing; retry in a second.
        package static let busy = Code(base: .busy)
        /// The gateway is closed.
        package static let closed = Code(base: .closed)
        /// A file, such as a log or a key file, cannot be used, or a file that was to be sent has changed.
        package static let file = Code(base: .file)

        /// A database cannot be copied.
        package static let database = Code(base: .database)

        /// A one-time code is already stored under this key.
        package static let codeExists = Code(base: .codeExists)

        /// A session has begun with this code before.
        package static let codeUsed = Code(base: .codeUsed)

        /// The store of one-time codes does not respond.
        package static let codeStore = Code(base: .codeStore)

        /// No valid API key has this id.
        package static let unknownKey = Code(base: .unknownKey)
        /// The person has the maximum number of API keys.
        package static let tooManyKeys = Code(base: .tooManyKeys)

        /// No stored client has this id.
        package static let unknownClient = Code(base: .unknownClient)
        /// The client has changed since the caller read it.
        package static let clientChanged = Code(base: .clientChanged)
        /// The server has the maximum number of clients.
        package static let tooManyClients = Code(base: .tooManyClients)
        /// The client has started too many sessions of the person; retry later.
        package static let tooManySessions = Code(base: .tooManySessions)

        /// The address or network cannot be banned.
        package static let invalidBan = Code(base: .invalidBan)
        /// The network is not banned.
        package static let unknownBan = Code(base: .unknownBan)

        /// The person must change their password before anything else.
        package static let passwordChangeRequired = Code(base: .passwordChangeRequired)
        /// The action needs a recent sign-in.
        package static let recentSignInRequired = Code(base: .recentSignInRequired)
        /// The server would be left without an administrator.
        package static let lastAdministrator = Code(base: .lastAdministrator)

        /// The person's account is disabled.
        package static let personDisabled = Code(base: .personDisabled)
        /// The identity is not linked to a person, and the provider does not allow a new one.
        package static let notInvited = Code(base: .notInvited)
        /// The domain of the person's e-mail address is not allowed.
        package static let domainRefused = Code(base: .domainRefused)
        /// The provider has not verified the person's e-mail address.
        package static let emailUnverified = Code(base: .emailUnverified)
        /// The identity is not linked to a person and must not be linked.
        package static let identityRefused = Code(base: .identityRefused)
        /// Neither an administrator nor a provider that links by address has proved that the address of the person's account is
        /// theirs, and the caller did not accept that.
        package static let addressUnproved = Code(base: .addressUnproved)

        /// The person was signed out everywhere after the provider identified the person.
        package static let signedOut = Code(base: .signedOut)

        /// The session or key of the request has ended since it was authenticated, or its person was disabled.
        package static let sessionEnded = Code(base: .sessionEnded)
        /// The person of the request is not an administrator any more.
        package static let administratorsOnly = Code(base: .administratorsOnly)

        /// No unlinked sign-in from the provider has this subject.
        package static let unknownIdentity = Code(base: .unknownIdentity)

        /// Two dialects have routes for the same requests.
        package static let routes = Code(base: .routes)

        /// The text is not a valid PIN.
        static let invalidPIN = Code(base: .invalidPIN)
        /// The person already has a PIN.
        package static let pinExists = Code(base: .pinExists)

        /// There is no key that can sign a token.
        static let signingKey = Code(base: .signingKey)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of refusal.
    package let code: Code
    /// A sentence for people: the operation, its object, and a remedy. Never contains a secret.
    package let message: String

    /// Makes an error.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package static let codeExists = GatewayError(
        .codeExists, "This one-time code is already in use; create another one.")

    static let changedMeanwhile = GatewayError(
        .unknownPerson,
        "The person's account or this session has just been changed, so nothing else was changed. Sign in again.")

    /// The same as ``message``.
    package var description: String { message }
}
