/// What a person can do about a failure or a wait, for a program to offer as a button or as a command.
///
/// The message says the same in words. Later releases may add cases.
public enum Remedy: Sendable, Hashable {
    /// Sign in to a server, with the e-mail address of the account if it is known.
    case signIn(ServerAddress, email: String?)
    /// Change the password of the account with this e-mail address.
    case changePassword(email: String)
    /// Remove the lock of this device, and sign in again.
    case removeLock
    /// Show the addresses of an account's server.
    case showAddresses
    /// Lock again what the PIN protects at the server.
    case lockAgain
    /// Retry downloads now.
    case retryDownloads
    /// Download the files that wait, or cancel them.
    case finishDownloads
    /// Retry the failed downloads, or clear them.
    case clearFailedDownloads
    /// Stop following libraries in the background.
    case stopFollowing
    /// Select single files by their paths.
    case selectPaths
    /// Mount the drive of a missing folder, or choose another folder.
    case mountFolder(String)
    /// Free space on the disk of a folder.
    case freeSpace(String)
    /// Download on metered networks too.
    case allowMeteredNetworks
    /// Install the package with this name.
    case installPackage(String)
}
