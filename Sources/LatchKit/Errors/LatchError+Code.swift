extension LatchError {
    /// The kind of a failure. Raw values are stable from release to release. Later releases may add codes.
    ///
    /// | code | meaning |
    /// |---|---|
    /// | `invalid_address` | the server address is invalid |
    /// | `invalid_email` | the e-mail address is invalid |
    /// | `invalid_request` | the request or its input is invalid, or its path would leave the server |
    /// | `name_not_found` | the server's name has no address |
    /// | `connection_refused` | the server refuses the connection |
    /// | `unreachable` | there is no network route to the server, or this process has too many open files |
    /// | `timed_out` | the server did not respond in time |
    /// | `certificate_unknown_issuer` | the issuer of the server's certificate is not trusted |
    /// | `certificate_self_signed` | the server's certificate is self-signed |
    /// | `certificate_expired` | the server's certificate has expired |
    /// | `certificate_not_yet_valid` | the server's certificate is not valid yet |
    /// | `certificate_wrong_name` | the server's certificate is for another host |
    /// | `certificate_pin_mismatch` | the server's certificate is not the pinned one |
    /// | `certificate_untrusted` | the server's certificate was rejected for another reason |
    /// | `client_certificate` | the server requires a client certificate, or the configured one cannot be used |
    /// | `authorities_unreadable` | the file of custom certificate authorities is missing or cannot be used |
    /// | `tls_failed` | no encrypted connection could be negotiated |
    /// | `proxy_failed` | the proxy cannot be used |
    /// | `connection_lost` | the connection broke, or the response is not HTTP |
    /// | `offline` | the session could not be renewed, for one of the reasons above |
    /// | `rejection_unconfirmed` | another address of the server rejects the session, and the account's own, which could confirm it, cannot be reached |
    /// | `not_a_known_server` | the server responds, but its dialect is not known |
    /// | `foreign_answer` | the response came from a proxy or portal, not from the server |
    /// | `server_error` | the server responded with a 5xx status |
    /// | `server_refused` | the server refused the request; the message contains its reason |
    /// | `unreadable_response` | the response does not contain the expected value |
    /// | `response_too_large` | the response is larger than allowed |
    /// | `wrong_credentials` | the e-mail address, password or key is wrong, or the account is disabled |
    /// | `password_login_disabled` | the server, or this account, does not allow password sign-in |
    /// | `browser_login_disabled` | the server does not allow browser sign-in |
    /// | `device_login_disabled` | the server does not allow sign-in with a code on another device |
    /// | `client_id_required` | the server does not register programs, so it needs a client id |
    /// | `unknown_provider` | the server has no such identity provider |
    /// | `not_offered` | the server's family has no request for the operation |
    /// | `callback_unavailable` | the program has no way to receive the browser's callback |
    /// | `callback_invalid` | the browser's callback cannot be read |
    /// | `sign_in_denied` | the sign-in was denied in the browser |
    /// | `sign_in_timed_out` | the browser did not return in time |
    /// | `browser_closed` | the browser was closed before it returned |
    /// | `browser_missing` | the requested browser is not installed |
    /// | `code_refused` | the server does not accept the code from the browser |
    /// | `provider_untrusted` | the identity provider's response is not trustworthy, or its configuration is wrong |
    /// | `provider_unavailable` | the identity provider cannot be reached or has a fault |
    /// | `key_unknown` | it is not known which of the person's keys is meant, or whether the key exists |
    /// | `no_keys` | the server issues no API keys, or does not accept them for sign-in |
    /// | `identity_unknown` | the server does not say who signed in |
    /// | `no_sign_in_waits` | no sign-in is waiting for the link that was opened |
    /// | `registration_failed` | the custom scheme could not be registered |
    /// | `wrong_pin` | the PIN is wrong |
    /// | `weak_password` | the password breaks the server's rules |
    /// | `registration_refused` | the server does not allow registration, or not for this person |
    /// | `registered_only` | the account was created, but signing in to it failed |
    /// | `email_unverified` | the e-mail address is not verified yet |
    /// | `password_change_required` | the server requires a password change first |
    /// | `rate_limited` | too many requests or attempts |
    /// | `signed_out` | the account is not signed in on this device |
    /// | `session_ended` | the server ended the session |
    /// | `no_account` | there is no such account |
    /// | `ambiguous_account` | more than one account matches |
    /// | `secret_store_locked` | the secret store is locked |
    /// | `secret_store_absent` | there is no secret store, or it does not respond |
    /// | `secret_store_denied` | the secret store denies access to this program or user |
    /// | `secret_store_damaged` | the file of the secret store is damaged |
    /// | `secret_store_differs` | another secret store was asked for than the one that holds the secrets |
    /// | `secret_store_pin_required` | the device is locked; the person must unlock it first |
    /// | `system_authentication_denied` | the system did not accept the authentication |
    /// | `system_authentication_unanswered` | the person dismissed the system's question, or did not answer in time |
    /// | `system_authentication_unavailable` | the system cannot ask the person to authenticate |
    /// | `wrong_passphrase` | the passphrase of the secret store is wrong |
    /// | `secret_store_failed` | the secret store failed for another reason |
    /// | `file_failed` | a file could not be written |
    /// | `folder_gone` | the download folder is missing; its drive may not be mounted |
    /// | `storage_damaged` | the accounts database is damaged or is another kind of file |
    /// | `storage_read_only` | the accounts database is read-only |
    /// | `storage_full` | the disk is full |
    /// | `storage_newer` | the accounts database was written by a newer version |
    /// | `storage_locked` | another program holds a lock on the accounts database, an account or the downloads |
    /// | `storage_failed` | the accounts database or another file failed for another reason |
    /// | `background_failed` | downloads could not be started in the background |
    /// | `cancelled` | the person or the program cancelled the operation |
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name of the code, such as `timed_out`.
        public let rawValue: String

        /// Makes a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The same as ``rawValue``.
        public var description: String { rawValue }
    }
}

extension LatchError.Code {
    /// The server address is invalid.
    public static let invalidAddress = Self(rawValue: "invalid_address")
    /// The e-mail address is invalid.
    public static let invalidEmail = Self(rawValue: "invalid_email")
    /// The request or its input is invalid, or its path would leave the server.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The server's name has no address.
    public static let nameNotFound = Self(rawValue: "name_not_found")
    /// The server refuses the connection, because nothing listens on its port.
    public static let connectionRefused = Self(rawValue: "connection_refused")
    /// There is no network route to the server, or this process has too many open files.
    public static let unreachable = Self(rawValue: "unreachable")
    /// The server did not respond in time.
    public static let timedOut = Self(rawValue: "timed_out")
    /// The issuer of the server's certificate is not trusted on this device.
    public static let certificateUnknownIssuer = Self(rawValue: "certificate_unknown_issuer")
    /// The server's certificate is self-signed.
    public static let certificateSelfSigned = Self(rawValue: "certificate_self_signed")
    /// The server's certificate has expired.
    public static let certificateExpired = Self(rawValue: "certificate_expired")
    /// The server's certificate is not valid yet.
    public static let certificateNotYetValid = Self(rawValue: "certificate_not_yet_valid")
    /// The server's certificate is for another host.
    public static let certificateWrongName = Self(rawValue: "certificate_wrong_name")
    /// The server's certificate is not the one that was pinned.
    public static let certificatePinMismatch = Self(rawValue: "certificate_pin_mismatch")
    /// The server's certificate was rejected for another reason.
    public static let certificateUntrusted = Self(rawValue: "certificate_untrusted")
    /// The server requires a client certificate, or the configured one cannot be used.
    public static let clientCertificate = Self(rawValue: "client_certificate")
    /// The file of custom certificate authorities is missing or cannot be used.
    public static let authoritiesUnreadable = Self(rawValue: "authorities_unreadable")
    /// No encrypted connection could be negotiated.
    public static let tlsFailed = Self(rawValue: "tls_failed")
    /// The proxy cannot be used.
    public static let proxyFailed = Self(rawValue: "proxy_failed")
    /// The connection broke, or the response is not HTTP.
    public static let connectionLost = Self(rawValue: "connection_lost")
    /// The session could not be renewed, usually because its server could not be reached.
    public static let offline = Self(rawValue: "offline")
    /// Another address of the server rejects the session, and the account's own, which could confirm it, cannot be
    /// reached. The session has not ended.
    public static let rejectionUnconfirmed = Self(rawValue: "rejection_unconfirmed")
    /// The server responds, but its dialect is not known to this version.
    public static let unsupportedServer = Self(rawValue: "not_a_known_server")
    /// The response came from a proxy or portal, not from the server.
    public static let interceptedResponse = Self(rawValue: "foreign_answer")
    /// The server responded with a 5xx status.
    public static let serverError = Self(rawValue: "server_error")
    /// The server refused the request. The message contains the server's reason.
    public static let serverRefused = Self(rawValue: "server_refused")
    /// The server's response does not contain the expected value.
    public static let unreadableResponse = Self(rawValue: "unreadable_response")
    /// The response is larger than allowed.
    public static let responseTooLarge = Self(rawValue: "response_too_large")
    /// The e-mail address, password or key is wrong, or the account is disabled.
    public static let wrongCredentials = Self(rawValue: "wrong_credentials")
    /// The server, or this account, does not allow password sign-in.
    public static let passwordLoginDisabled = Self(rawValue: "password_login_disabled")
    /// The server does not allow browser sign-in.
    public static let browserLoginDisabled = Self(rawValue: "browser_login_disabled")
    /// The server does not allow sign-in with a code on another device.
    public static let deviceLoginDisabled = Self(rawValue: "device_login_disabled")
    /// The server does not register programs, so a sign-in needs a client id: ``BrowserSignIn/clientID``. Also for one
    /// that the server does not know.
    public static let clientIDRequired = Self(rawValue: "client_id_required")
    /// The server has no such identity provider.
    public static let unknownProvider = Self(rawValue: "unknown_provider")
    /// The program has no way to receive the browser's callback.
    public static let callbackUnavailable = Self(rawValue: "callback_unavailable")
    /// The browser's callback cannot be read.
    public static let callbackInvalid = Self(rawValue: "callback_invalid")
    /// The sign-in was denied in the browser.
    public static let signInDenied = Self(rawValue: "sign_in_denied")
    /// The browser did not return in time.
    public static let signInTimedOut = Self(rawValue: "sign_in_timed_out")
    /// The browser was closed before it returned.
    public static let browserClosed = Self(rawValue: "browser_closed")
    /// The requested browser is not installed.
    public static let browserMissing = Self(rawValue: "browser_missing")
    /// The server does not accept the code from the browser.
    public static let codeRefused = Self(rawValue: "code_refused")
    /// The identity provider's response is not trustworthy, or its configuration is wrong.
    public static let providerUntrusted = Self(rawValue: "provider_untrusted")
    /// The identity provider cannot be reached or has a fault.
    public static let providerUnavailable = Self(rawValue: "provider_unavailable")
    /// It is not known which of the person's keys is meant, or whether the key exists.
    public static let keyUnknown = Self(rawValue: "key_unknown")
    /// The server issues no API keys, or does not accept them for sign-in.
    public static let noKeys = Self(rawValue: "no_keys")
    /// The server does not say who signed in.
    public static let identityUnknown = Self(rawValue: "identity_unknown")
    /// No sign-in is waiting for the link that was opened.
    public static let noPendingSignIn = Self(rawValue: "no_sign_in_waits")
    /// The custom scheme could not be registered.
    public static let registrationFailed = Self(rawValue: "registration_failed")
    /// The PIN is wrong.
    public static let wrongPIN = Self(rawValue: "wrong_pin")
    /// The server has locked again what a PIN protects, because its time is over.
    public static let pinExpired = Self(rawValue: "pin_expired")
    /// The password breaks the server's rules.
    public static let weakPassword = Self(rawValue: "weak_password")
    /// The server does not allow registration, or not for this person.
    public static let registrationRefused = Self(rawValue: "registration_refused")
    /// The account was created, but signing in to it failed.
    public static let registeredOnly = Self(rawValue: "registered_only")
    /// The e-mail address is not verified yet.
    public static let emailUnverified = Self(rawValue: "email_unverified")
    /// The server requires a password change before anything else.
    public static let passwordChangeRequired = Self(rawValue: "password_change_required")
    /// Too many requests or attempts. ``LatchError/retryAfter`` is how long to wait, if the server says so.
    public static let rateLimited = Self(rawValue: "rate_limited")
    /// The account is not signed in on this device.
    public static let signedOut = Self(rawValue: "signed_out")
    /// The server ended the session.
    public static let sessionEnded = Self(rawValue: "session_ended")
    /// There is no such account.
    public static let noAccount = Self(rawValue: "no_account")
    /// More than one account matches.
    public static let ambiguousAccount = Self(rawValue: "ambiguous_account")
    /// The secret store is locked.
    public static let secretStoreLocked = Self(rawValue: "secret_store_locked")
    /// There is no secret store, or it does not respond.
    public static let secretStoreAbsent = Self(rawValue: "secret_store_absent")
    /// The secret store denies access to this program or user.
    public static let secretStoreDenied = Self(rawValue: "secret_store_denied")
    /// The secret store's file is damaged.
    public static let secretStoreDamaged = Self(rawValue: "secret_store_damaged")
    /// This device is locked. The person must enter the PIN or authenticate to the system first. See ``DeviceLock``.
    public static let pinRequired = Self(rawValue: "secret_store_pin_required")
    /// The system did not accept the authentication, or does not allow it.
    public static let systemAuthenticationDenied = Self(rawValue: "system_authentication_denied")
    /// The person dismissed the question of the system, or did not answer it in time.
    public static let systemAuthenticationUnanswered = Self(rawValue: "system_authentication_unanswered")
    /// The system cannot ask the person to authenticate. ``LatchError/message`` says what is missing.
    public static let systemAuthenticationUnavailable = Self(rawValue: "system_authentication_unavailable")
    /// The passphrase of the secret store is wrong.
    public static let wrongPassphrase = Self(rawValue: "wrong_passphrase")
    /// The secret store failed for another reason.
    public static let secretStoreFailed = Self(rawValue: "secret_store_failed")
    /// The accounts database is damaged or is another kind of file.
    public static let storageDamaged = Self(rawValue: "storage_damaged")
    /// The accounts database is read-only.
    public static let storageReadOnly = Self(rawValue: "storage_read_only")
    /// The disk is full.
    public static let storageFull = Self(rawValue: "storage_full")
    /// The accounts database was written by a newer version of the program.
    public static let storageNewer = Self(rawValue: "storage_newer")
    /// Another program holds a lock on the accounts database, an account or the downloads.
    public static let storageLocked = Self(rawValue: "storage_locked")
    /// The accounts database or another file of the library failed for another reason.
    public static let storageFailed = Self(rawValue: "storage_failed")
    /// A file could not be written. ``LatchError/cause`` is the reason.
    public static let fileFailed = Self(rawValue: "file_failed")
    /// The download folder is missing. Its drive may not be mounted.
    public static let folderGone = Self(rawValue: "folder_gone")
    /// Downloads could not be started in the background.
    public static let backgroundFailed = Self(rawValue: "background_failed")
    /// The person or the program cancelled the operation.
    public static let cancelled = Self(rawValue: "cancelled")
    /// An unexpected error.
    package static let unexpected = Self(rawValue: "unexpected")

    /// Whether the failure comes from the network, a proxy or a fault of the server. It says nothing about the session,
    /// and trying later may succeed.
    public var leavesSessionUnknown: Bool { Self.transient.contains(self) }

    /// Whether the secret store could not be used.
    var concernsSecretStore: Bool { rawValue.hasPrefix("secret_store") || self == .wrongPassphrase }

    private static let transient: Set<Self> = [
        .nameNotFound, .connectionRefused, .unreachable, .timedOut, .certificateUnknownIssuer, .certificateSelfSigned,
        .certificateExpired, .certificateNotYetValid, .certificateWrongName, .certificatePinMismatch,
        .certificateUntrusted, .clientCertificate, .tlsFailed, .proxyFailed, .connectionLost, .offline,
        .rejectionUnconfirmed,
        .unsupportedServer, .interceptedResponse, .serverError, .serverRefused, .unreadableResponse, .responseTooLarge,
        .rateLimited,
        .emailUnverified,
    ]
}
