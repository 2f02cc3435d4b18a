import LatchKit

/// What a person can do about a download that waits or failed, for a button.
public enum DownloadAction: Equatable, Sendable {
    /// Retry the file, or all files, now.
    case retry
    /// Sign in again, on the page of the accounts.
    case signIn
    /// Change the password, on the page of the accounts.
    case changePassword
    /// Choose another folder, in the settings.
    case chooseFolder
    /// Allow metered networks, in the settings.
    case allowMetered

    /// The title of the button.
    public var title: String {
        switch self {
        case .retry: DownloadsScreen.Text.retry
        case .signIn: "Sign in again"
        case .changePassword: "Change password"
        case .chooseFolder: "Choose folder"
        case .allowMetered: "Open settings"
        }
    }

    init?(_ remedy: Remedy?) {
        switch remedy {
        case .retryDownloads: self = .retry
        case .signIn: self = .signIn
        case .changePassword: self = .changePassword
        case .mountFolder, .freeSpace: self = .chooseFolder
        case .allowMeteredNetworks: self = .allowMetered
        default: return nil
        }
    }
}
