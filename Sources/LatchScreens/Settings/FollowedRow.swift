public import FoundationEssentials
import LatchDownloads
import LatchKit

/// A library whose new pictures are downloaded as they appear. Its texts are safe to be displayed.
public struct FollowedRow: Identifiable, Equatable, Sendable {
    /// Whether new pictures are downloaded.
    public enum Status: Equatable, Sendable {
        /// New pictures are downloaded.
        case running
        /// The account is signed out.
        case signedOut
        /// The background program does not run.
        case stopped
    }

    /// The id of the account.
    public let id: UUID
    /// The e-mail address of the account and the host of its server.
    public let title: String
    /// Whether new pictures are downloaded, in one sentence.
    public let sentence: String
    /// Whether new pictures are downloaded.
    public let status: Status

    init(_ library: FollowedLibrary, _ account: Account, isRunning: Bool) {
        id = account.id
        title = ScreenText.account(account)
        status = account.isSignedIn ? isRunning ? .running : .stopped : .signedOut
        sentence =
            switch status {
            case .running: "New pictures are downloaded to '\(ScreenText.line(library.location.folder))'."
            case .signedOut: "New pictures are not downloaded, because you are signed out. Sign in again."
            case .stopped: "New pictures are not downloaded, because the background program does not run. Start it."
            }
    }
}
