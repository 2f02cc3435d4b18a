import FoundationEssentials
import LatchDownloads
import LatchKit

// The screens that are reached from everywhere, and the errors of the gate.
extension AppScreen {
    /// The log of recent operations. Nil while the accounts are not open or the device is locked.
    public func log() -> LogScreen? { isLocked ? nil : client.map { LogScreen($0.log) } }

    /// The settings of the device's lock. Nil while the accounts are not open or the device is locked.
    public func lockSettings() -> LockSettingsScreen? {
        guard let client, !isLocked else { return nil }
        return LockSettingsScreen(client.lock, authentication: authentication)
    }

    /// The settings of downloads. Nil while the accounts are not open or the device is locked.
    public func downloadSettings() -> DownloadSettingsScreen? {
        isLocked ? nil : client.map { commands.adding(DownloadSettingsScreen($0)) }
    }

    /// The folder in which downloads are saved.
    ///
    /// Does not need ``start()``. The accounts are opened for the question when they are not open.
    ///
    /// - Returns: The absolute path. The folder may not exist.
    /// - Throws: `LatchError.Code.fileFailed` when there is no pictures folder; a `LatchError` with a `storage` code.
    public func downloadFolder() async throws -> String {
        if let client { return try await LibraryLocations(client).current(environment: environment).folder }
        var configuration = configuration
        configuration.recoversOnOpen = false
        let reader = try await LatchClient.open(configuration)
        do {
            let folder = try await LibraryLocations(reader).current(environment: environment).folder
            await reader.close()
            return folder
        } catch {
            await reader.close()
            throw error
        }
    }

    static func error(_ code: LatchError.Code, _ account: Account) -> ScreenError {
        switch code {
        case .unsupportedServer:
            ScreenError(
                code,
                "\(account.serverURL.authority) needs a newer version of this program. Update the program.")
        case .wrongPassphrase:
            ScreenError(code, "The passphrase of your secrets is wrong. Try again, and enter the right one.")
        case .secretStoreLocked:
            ScreenError(code, "The secret store of this device is locked. Unlock it, then try again.")
        case .secretStoreAbsent:
            ScreenError(code, "The secret store of this device does not respond. Start it, then try again.")
        case _ where code.rawValue.hasPrefix("secret_store"):
            ScreenError(code, "The secret store of this device cannot be read. Restart its service, then try again.")
        case _ where code.isAboutCertificate:
            ScreenError(
                code,
                "SSL certificate error: the certificate of \(account.serverURL.authority) is not trusted any more. Check it, "
                    + "and sign in again if you trust it.")
        default:
            ScreenError(
                code,
                "Server is not reachable: \(account.serverURL.authority) did not confirm who is signed in. Check "
                    + "the network, then try again.")
        }
    }
}

extension AppScreen.Text {
    /// What is shown after links were opened that complete no sign-in. Nil when all did.
    ///
    /// - Parameter errors: The errors of ``LatchKit/CallbackLink``, one for each link.
    /// - Returns: One message for all of them.
    public static func unexpectedLinks(_ errors: [any Error]) -> String? {
        guard let first = errors.first else { return nil }
        return errors.count == 1
            ? ScreenError(first).message
            : "\(errors.count) links were opened that no sign-in waits for. If you expected one of them, sign in again."
    }
}
