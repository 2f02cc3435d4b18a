import Desktop
import LatchKit

/// The hints about the next command after a failure.
enum Hint {
    static func text(for error: LatchError, account: Account?) -> String? {
        if let command = error.remedy?.command { return command }
        switch error.code {
        case .signedOut, .sessionEnded:
            guard let account else { return "Run: latch login ADDRESS" }
            guard account.capabilities.contains(.passwordSignIn) else {
                return "Run: latch login \(account.serverURL.url.forShell)"
            }
            return "Run: latch login \(account.serverURL.url.forShell) --email \(account.userEmail.forShell)"
        case .pinRequired:
            return "Run: latch unlock"
        case .browserMissing:
            return "To use your own browser: --browser-command \(DesktopProgram.opener). "
                + "To open the address yourself: --no-browser"
        case .clientIDRequired:
            return "Give it: --client-id ID"
        case .passwordChangeRequired:
            return account.map { "Run: latch password \($0.userEmail.forShell)" }
        case .noAccount, .ambiguousAccount:
            return "Run: latch accounts"
        case .authoritiesUnreadable:
            let whom = account.map { " " + $0.userEmail.forShell } ?? ""
            return account.map { _ in
                "Name the file again: latch tls\(whom) --ca FILE; or remove it: latch tls\(whom) --system"
            }
        case .serverError:
            return error.retryAfter.map { "Try again in \($0.components.seconds) seconds." }
        case .interceptedResponse:
            return account.map {
                "To see where it fails: latch doctor \($0.serverURL.url.forShell). To set extra header fields: latch "
                    + "headers set"
            }
        default:
            return account.flatMap { diagnosis(of: error, at: $0.serverURL) }
        }
    }

    /// Returns the hint for a connection to an address that failed. Nil for other failures.
    static func diagnosis(of error: LatchError, at address: ServerAddress) -> String? {
        switch error.code {
        case .nameNotFound, .connectionRefused, .unreachable, .timedOut, .connectionLost, .tlsFailed, .offline,
            .rejectionUnconfirmed, .interceptedResponse, .proxyFailed, .certificateUnknownIssuer,
            .certificateSelfSigned, .certificateExpired,
            .certificateNotYetValid, .certificateWrongName, .certificatePinMismatch, .certificateUntrusted:
            return "To see where it fails: latch doctor \(address.url.forShell)"
        default:
            return nil
        }
    }
}
