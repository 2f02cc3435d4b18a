extension LatchError {
    /// The kinds of failure. The raw value is stable from release to release; new ones may be added.
    ///
    /// | code | what it says |
    /// |---|---|
    /// | `invalid_address` | the server address cannot be one |
    /// | `invalid_email` | the e-mail address cannot be one |
    /// | `invalid_request` | a request that cannot be sent, or would leave the server |
    /// | `name_not_found` | the server's name has no address |
    /// | `connection_refused` | nothing listens there |
    /// | `unreachable` | there is no way to the server |
    /// | `timed_out` | no answer in time |
    /// | `certificate_unknown_issuer`, `certificate_self_signed`, `certificate_expired`, `certificate_not_yet_valid`, `certificate_wrong_name`, `certificate_pin_mismatch`, `certificate_untrusted` | the server's certificate was not accepted, and why |
    /// | `client_certificate` | the server wants a certificate, or the one configured cannot be used |
    /// | `authorities_unreadable` | the file of own authorities is gone or cannot be used |
    /// | `tls_failed` | no encrypted connection could be agreed on |
    /// | `proxy_failed` | the proxy cannot be used |
    /// | `connection_lost` | the connection broke, or what came is no HTTP |
    /// | `offline` | any of the reasons above kept a session from being renewed |
    /// | `not_a_known_server` | something answers, and speaks no dialect known here |
    /// | `foreign_answer` | something between here and the server answered instead of it |
    /// | `server_error` | the server answered 5xx |
    /// | `server_refused` | the server refused, in its own words |
    /// | `response_too_large` | the answer is larger than allowed |
    /// | `wrong_credentials` | e-mail or password is wrong, or the account is disabled |
    /// | `password_login_disabled` | the server, or this account, does not sign in with a password |
    /// | `browser_login_disabled` | the server does not sign in with the browser |
    /// | `unknown_provider` | the server has no such identity provider |
    /// | `callback_unavailable` | there is nowhere to wait for the browser |
    /// | `callback_invalid` | what the browser brought back cannot be read |
    /// | `sign_in_denied` | the sign-in was denied in the browser |
    /// | `sign_in_timed_out` | the browser did not come back in time |
    /// | `browser_closed` | the browser was closed before it came back |
    /// | `browser_missing` | the browser that was asked for is not installed |
    /// | `code_refused` | the server does not take the code that the browser brought |
    /// | `provider_untrusted` | the identity provider's answer cannot be believed, or its settings cannot work |
    /// | `provider_unavailable` | the identity provider cannot be reached or is out of order |
    /// | `key_unknown` | which of the person's keys it is, or whether there is such a key, is not known |
    /// | `no_keys` | the server gives no keys |
    /// | `identity_unknown` | the server does not say who has signed in |
    /// | `no_sign_in_waits` | a link came that no sign-in waits for |
    /// | `registration_failed` | the custom scheme could not be registered |
    /// | `wrong_pin` | the PIN is wrong |
    /// | `weak_password` | the password breaks the server's rules |
    /// | `registration_refused` | the server gives nobody, or not this person, an account |
    /// | `registered_only` | there is an account now, and signing in to it failed |
    /// | `email_unverified` | the e-mail address is not proved yet |
    /// | `password_change_required` | the server wants another password before anything else |
    /// | `rate_limited` | too many attempts |
    /// | `signed_out` | the account is not signed in here |
    /// | `session_ended` | the server ended the session |
    /// | `no_account` | there is no such account |
    /// | `ambiguous_account` | more than one account fits |
    /// | `secret_store_locked`, `secret_store_absent`, `secret_store_denied`, `secret_store_damaged`, `wrong_passphrase`, `secret_store_failed` | the secret store did not give or take a secret |
    /// | `file_failed` | a downloaded file could not be written |
    /// | `folder_gone` | the folder that files were brought to is missing; its drive may not be mounted |
    /// | `storage_damaged`, `storage_read_only`, `storage_full`, `storage_newer`, `storage_locked`, `storage_failed` | the accounts database did not work |
    /// | `cancelled` | the person or the program stopped it |
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable word.
        public let rawValue: String

        /// Makes a code of any word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The stable word.
        public var description: String { rawValue }
    }
}

extension LatchError.Code {
    /// The server address cannot be one.
    public static let invalidAddress = Self(rawValue: "invalid_address")
    /// The e-mail address cannot be one.
    public static let invalidEmail = Self(rawValue: "invalid_email")
    /// A request that cannot be sent, or would leave the server.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The server's name has no address.
    public static let nameNotFound = Self(rawValue: "name_not_found")
    /// Nothing listens there.
    public static let connectionRefused = Self(rawValue: "connection_refused")
    /// There is no way to the server.
    public static let unreachable = Self(rawValue: "unreachable")
    /// No answer in time.
    public static let timedOut = Self(rawValue: "timed_out")
    /// The certificate's issuer is not trusted here.
    public static let certificateUnknownIssuer = Self(rawValue: "certificate_unknown_issuer")
    /// The certificate stands behind itself.
    public static let certificateSelfSigned = Self(rawValue: "certificate_self_signed")
    /// The certificate's last day has passed.
    public static let certificateExpired = Self(rawValue: "certificate_expired")
    /// The certificate's first day has not come.
    public static let certificateNotYetValid = Self(rawValue: "certificate_not_yet_valid")
    /// The certificate is for another host.
    public static let certificateWrongName = Self(rawValue: "certificate_wrong_name")
    /// The certificate is not the one remembered.
    public static let certificatePinMismatch = Self(rawValue: "certificate_pin_mismatch")
    /// The certificate was not accepted for another reason.
    public static let certificateUntrusted = Self(rawValue: "certificate_untrusted")
    /// The server wants a client certificate, or the one configured cannot be used.
    public static let clientCertificate = Self(rawValue: "client_certificate")
    /// The file of own authorities is gone or cannot be used.
    public static let authoritiesUnreadable = Self(rawValue: "authorities_unreadable")
    /// No encrypted connection could be agreed on.
    public static let tlsFailed = Self(rawValue: "tls_failed")
    /// The proxy cannot be used.
    public static let proxyFailed = Self(rawValue: "proxy_failed")
    /// The connection broke, or what came is no HTTP.
    public static let connectionLost = Self(rawValue: "connection_lost")
    /// The session's server could not be reached when it had to be.
    public static let offline = Self(rawValue: "offline")
    /// Something answers, and speaks no dialect known here.
    public static let notAKnownServer = Self(rawValue: "not_a_known_server")
    /// Something between here and the server answered instead of it.
    public static let foreignAnswer = Self(rawValue: "foreign_answer")
    /// The server answered 5xx.
    public static let serverError = Self(rawValue: "server_error")
    /// The server refused, in its own words.
    public static let serverRefused = Self(rawValue: "server_refused")
    /// The answer is larger than allowed.
    public static let responseTooLarge = Self(rawValue: "response_too_large")
    /// E-mail or password is wrong, or the account is disabled.
    public static let wrongCredentials = Self(rawValue: "wrong_credentials")
    /// The server, or this account, does not sign in with a password.
    public static let passwordLoginDisabled = Self(rawValue: "password_login_disabled")
    /// The server does not sign in with the browser.
    public static let browserLoginDisabled = Self(rawValue: "browser_login_disabled")
    /// The server has no such identity provider.
    public static let unknownProvider = Self(rawValue: "unknown_provider")
    /// There is nowhere to wait for the browser.
    public static let callbackUnavailable = Self(rawValue: "callback_unavailable")
    /// What the browser brought back cannot be read.
    public static let callbackInvalid = Self(rawValue: "callback_invalid")
    /// The sign-in was denied in the browser.
    public static let signInDenied = Self(rawValue: "sign_in_denied")
    /// The browser did not come back in time.
    public static let signInTimedOut = Self(rawValue: "sign_in_timed_out")
    /// The browser was closed before it came back.
    public static let browserClosed = Self(rawValue: "browser_closed")
    /// The browser that was asked for is not installed.
    public static let browserMissing = Self(rawValue: "browser_missing")
    /// The server does not take the code that the browser brought.
    public static let codeRefused = Self(rawValue: "code_refused")
    /// The identity provider's answer cannot be believed, or its settings cannot work.
    public static let providerUntrusted = Self(rawValue: "provider_untrusted")
    /// The identity provider cannot be reached or is out of order.
    public static let providerUnavailable = Self(rawValue: "provider_unavailable")
    /// Which of the person's keys it is, or whether there is such a key, is not known.
    public static let keyUnknown = Self(rawValue: "key_unknown")
    /// The server gives no keys.
    public static let noKeys = Self(rawValue: "no_keys")
    /// The server does not say who has signed in.
    public static let identityUnknown = Self(rawValue: "identity_unknown")
    /// A link came that no sign-in waits for.
    public static let noSignInWaits = Self(rawValue: "no_sign_in_waits")
    /// The custom scheme could not be registered.
    public static let registrationFailed = Self(rawValue: "registration_failed")
    /// The PIN is wrong.
    public static let wrongPIN = Self(rawValue: "wrong_pin")
    /// The password breaks the server's rules.
    public static let weakPassword = Self(rawValue: "weak_password")
    /// The server gives nobody, or not this person, an account.
    public static let registrationRefused = Self(rawValue: "registration_refused")
    /// There is an account now, and signing in to it failed.
    public static let registeredOnly = Self(rawValue: "registered_only")
    /// The e-mail address is not proved yet.
    public static let emailUnverified = Self(rawValue: "email_unverified")
    /// The server wants another password before anything else.
    public static let passwordChangeRequired = Self(rawValue: "password_change_required")
    /// Too many attempts.
    public static let rateLimited = Self(rawValue: "rate_limited")
    /// The account is not signed in here.
    public static let signedOut = Self(rawValue: "signed_out")
    /// The server ended the session.
    public static let sessionEnded = Self(rawValue: "session_ended")
    /// There is no such account.
    public static let noAccount = Self(rawValue: "no_account")
    /// More than one account fits.
    public static let ambiguousAccount = Self(rawValue: "ambiguous_account")
    /// The secret store is locked.
    public static let secretStoreLocked = Self(rawValue: "secret_store_locked")
    /// There is no secret store, or it does not answer.
    public static let secretStoreAbsent = Self(rawValue: "secret_store_absent")
    /// The secret store refused this program or user.
    public static let secretStoreDenied = Self(rawValue: "secret_store_denied")
    /// The secret store's file is damaged.
    public static let secretStoreDamaged = Self(rawValue: "secret_store_damaged")
    /// The passphrase of the secret store is wrong.
    public static let wrongPassphrase = Self(rawValue: "wrong_passphrase")
    /// The secret store failed otherwise.
    public static let secretStoreFailed = Self(rawValue: "secret_store_failed")
    /// The accounts database is damaged or something else.
    public static let storageDamaged = Self(rawValue: "storage_damaged")
    /// The accounts database may not be written.
    public static let storageReadOnly = Self(rawValue: "storage_read_only")
    /// The disk is full.
    public static let storageFull = Self(rawValue: "storage_full")
    /// The accounts database is from a newer program.
    public static let storageNewer = Self(rawValue: "storage_newer")
    /// Another program holds the accounts database.
    public static let storageLocked = Self(rawValue: "storage_locked")
    /// The accounts database failed otherwise.
    public static let storageFailed = Self(rawValue: "storage_failed")
    /// A file that was to be written could not be; the cause tells why.
    public static let fileFailed = Self(rawValue: "file_failed")
    /// The folder that files were brought to is missing; its drive may not be mounted.
    public static let folderGone = Self(rawValue: "folder_gone")
    /// The person or the program stopped it.
    public static let cancelled = Self(rawValue: "cancelled")

    /// Whether the failure is the network's or a stranger's, so that trying later may succeed and nothing is known about
    /// the session.
    public var leavesSessionUnknown: Bool { Self.passing.contains(self) }

    /// Whether the secret store could not be used.
    var isOfSecretStore: Bool { rawValue.hasPrefix("secret_store") || self == .wrongPassphrase }

    private static let passing: Set<Self> = [
        .nameNotFound, .connectionRefused, .unreachable, .timedOut, .certificateUnknownIssuer, .certificateSelfSigned,
        .certificateExpired, .certificateNotYetValid, .certificateWrongName, .certificatePinMismatch,
        .certificateUntrusted, .clientCertificate, .tlsFailed, .proxyFailed, .connectionLost, .offline,
        .notAKnownServer, .foreignAnswer, .serverError, .serverRefused, .responseTooLarge, .rateLimited,
        .emailUnverified,
    ]
}
