import LatchDownloads
import LatchKit
import Primitives

extension Remedy {
    /// The remedy as a command of this program, with what it does. Nil when no command does it.
    var command: String? {
        switch self {
        case .signIn(let server, let email):
            "To sign in: latch login \(server.url.forShell)\(email.map { " --email " + $0.forShell } ?? "")"
        case .changePassword(let email): "To change the password: latch password \(email.forShell)"
        case .removeLock: "To remove the lock: latch pin local remove --forgotten"
        case .showAddresses: "To see its addresses: latch endpoints list"
        case .lockAgain: "To lock it: latch pin lock"
        case .retryDownloads: "To try now: latch downloads retry"
        case .finishDownloads: "To download them: latch download. To cancel them: latch downloads cancel"
        case .clearFailedDownloads: "To retry them: latch downloads retry. To clear them: latch downloads clear"
        case .stopFollowing: "To stop following: latch downloads unfollow"
        case .selectPaths: "To download a file: latch download /path/of/file"
        case .allowMeteredNetworks: "To download anyway: latch download --metered"
        case .mountFolder, .freeSpace, .installPackage: nil
        }
    }
}

extension LatchError {
    /// The message, followed by the command that helps, if there is one. For messages that have no separate hint.
    var messageWithCommand: String { [message, remedy?.command].compactMap(\.self).joined(separator: " ") }
}

extension WaitReason {
    /// The sentence, followed by the command that helps, if there is one.
    var sentenceWithCommand: String { [sentence, remedy?.command].compactMap(\.self).joined(separator: " ") }
}
