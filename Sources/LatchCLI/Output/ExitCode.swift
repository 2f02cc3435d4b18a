import CommandLineTool
import LatchKit

/// The exit codes of `latch`.
///
/// `docs/command-line.md` has the same table.
///
/// Source: `sysexits.h`, whose numbers are used where they apply.
enum ExitCode: Int32, ExitCodeTable {
    case done = 0
    case failed = 1
    case usage = 64
    case badInput = 65
    case notFound = 66
    case unreachable = 69
    case storage = 74
    case tryLater = 75
    case protocolError = 76
    case signIn = 77
    case trust = 78
    case unanswered = 79
    case locked = 80
    case interrupted = 130

    /// The meaning of the exit code, in one line.
    var summary: String {
        switch self {
        case .done: "done"
        case .failed: "the server refused, or another failure not listed below"
        case .usage: "the command line is invalid, or a terminal is required"
        case .badInput: "an address, e-mail address, path or other input is invalid"
        case .notFound: "no such account, key or session, or a file cannot be read"
        case .unreachable: "the server cannot be reached"
        case .storage: "the accounts on this machine cannot be read or written"
        case .tryLater: "the server reports an error or requests a pause: try later"
        case .protocolError: "something responded that is not a supported server"
        case .signIn: "wrong credentials, a denied sign-in, or you must sign in again"
        case .trust: "a certificate, the proxy, the secret store or polkit needs attention"
        case .unanswered: "the browser or the system's authentication was closed, or not answered in time"
        case .locked: "this device is locked, and there is nobody to ask"
        case .interrupted: "stopped by Ctrl-C"
        }
    }

    /// The error codes with this exit code. All other errors have ``failed``.
    var codes: [LatchError.Code] {
        switch self {
        case .done, .failed: []
        case .usage: [.usage, .noTerminal, .unknownProvider, .clientIDRequired]
        case .badInput: [.invalidAddress, .invalidEmail, .invalidRequest, .invalidInput, .weakPassword]
        case .notFound: [.noAccount, .ambiguousAccount, .keyUnknown, .sessionUnknown, .noInput, .noPendingSignIn]
        case .unreachable:
            [
                .nameNotFound, .connectionRefused, .unreachable, .timedOut, .connectionLost, .tlsFailed, .offline,
                .rejectionUnconfirmed,
            ]
        case .storage:
            [.storageDamaged, .storageReadOnly, .storageFull, .storageNewer, .storageFailed, .outputFailed]
        case .tryLater: [.rateLimited, .serverError, .storageLocked, .identityUnknown, .providerUnavailable]
        case .protocolError:
            [.unsupportedServer, .interceptedResponse, .responseTooLarge, .callbackInvalid, .providerUntrusted]
        case .signIn:
            [
                .wrongCredentials, .wrongPIN, .pinExpired, .passwordLoginDisabled, .browserLoginDisabled,
                .deviceLoginDisabled,
                .emailUnverified, .signInDenied, .systemAuthenticationDenied, .registeredOnly, .codeRefused, .signedOut,
                .sessionEnded,
                .passwordChangeRequired,
            ]
        case .unanswered: [.signInTimedOut, .browserClosed, .systemAuthenticationUnanswered]
        case .trust:
            [
                .certificateUnknownIssuer, .certificateSelfSigned, .certificateExpired, .certificateNotYetValid,
                .certificateWrongName, .certificatePinMismatch, .certificateUntrusted, .clientCertificate,
                .authoritiesUnreadable, .proxyFailed, .secretStoreLocked, .secretStoreAbsent, .secretStoreDenied,
                .secretStoreDamaged,
                .wrongPassphrase, .secretStoreFailed, .secretStoreDiffers,
                .systemAuthenticationUnavailable,
            ]
        case .locked: [.pinRequired]
        case .interrupted: [.cancelled]
        }
    }

    /// Creates the exit code for an error.
    init(for code: LatchError.Code) {
        self = Self.allCases.first { $0.codes.contains(code) } ?? .failed
    }
}
