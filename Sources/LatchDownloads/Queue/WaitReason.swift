package import Desktop
public import LatchKit

/// Why files of the queue wait, for people and for programs.
public struct WaitReason: Sendable, Hashable {
    /// What the files wait for.
    public enum Kind: Sendable, Hashable {
        /// Their account must sign in again, or its secret cannot be read.
        case account(Account.ID)
        /// Their account must change its password.
        case password(Account.ID)
        /// Their folder is missing, for example because its drive is not mounted.
        case folder(String)
        /// There is no space left on the disk with this folder or database.
        case space(String)
        /// Their host is paused. ``HostPause/until`` says until when, if the pause is stored.
        case host(HostPause?)
        /// There is no network.
        case network
        /// The network is metered.
        case meteredNetwork
        /// A reason that the program gave with ``DownloadQueue/pauseAll(reason:)``.
        case program
    }

    /// What the files wait for.
    public let kind: Kind
    /// The reason as a sentence for people, with what to do.
    public let sentence: String
    /// What a person can do, for a program to offer. Nil when only ``sentence`` says it.
    public let remedy: Remedy?

    init(_ kind: Kind, _ sentence: String, _ remedy: Remedy? = nil) {
        self.kind = kind
        self.sentence = sentence
        self.remedy = remedy
    }
}

extension WaitReason {
    /// Creates a reason that only a sentence describes.
    public init(_ sentence: String) { self.init(.program, sentence) }

    /// Creates the reason for an account that must sign in or change its password.
    package init(_ account: Account) {
        let server = account.serverURL
        if account.isSignedIn {
            self.init(
                .password(account.id), "\(server) requires a new password before anything else. Change the password.",
                .changePassword(email: account.userEmail))
        } else {
            self.init(
                .account(account.id), "Files wait for a sign-in to \(server). Sign in again.",
                .signIn(server, email: account.userEmail))
        }
    }

    /// Creates the reason for a host that is paused until a time.
    init(_ pause: HostPause) {
        self.init(
            .host(pause), "\(pause.reason) Its files wait until \(pause.until.localTimeText), or until you retry them.",
            .retryDownloads)
    }

    /// Creates the reason why files wait for another network. Nil when they do not.
    package init?(_ network: NetworkState, fetchesMetered: Bool) {
        if !network.isConnected {
            self.init(.network, "There is no network. Downloads continue when there is one.")
        } else if network.isMetered, !fetchesMetered {
            self.init(
                .meteredNetwork, "This network is metered. Downloads continue on an unmetered one.",
                .allowMeteredNetworks)
        } else {
            return nil
        }
    }
}
