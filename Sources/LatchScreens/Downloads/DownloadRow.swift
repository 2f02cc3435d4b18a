import FoundationEssentials
import LatchDownloads
public import LatchKit

/// One file in the list of downloads. Its texts are safe to be displayed.
///
/// Source: DL-7, DL-9.
public struct DownloadRow: Identifiable, Equatable, Sendable {
    /// The state of a file.
    public enum State: String, CaseIterable, Sendable {
        /// The file waits for its turn or for a time.
        case waiting
        /// The file is being downloaded.
        case running
        /// The file waits until a person resumes it, or until its account is signed in.
        case paused
        /// The file is at its destination.
        case done
        /// There is nothing to download.
        case skipped
        /// The file could not be downloaded.
        case failed

        /// The state in one word, for people.
        public var title: String {
            switch self {
            case .waiting: "Waiting"
            case .running: "Downloading"
            case .paused: "Paused"
            case .done: "Done"
            case .skipped: "Skipped"
            case .failed: "Failed"
            }
        }
    }

    /// The position of the file in the queue. Positions are never reused.
    public let id: Int
    /// The name of the file, in one line.
    public let name: String
    /// The state of the file.
    public let state: State
    /// The received share, from 0 to 1. Nil unless the file is being downloaded and its length is known.
    public let fraction: Double?
    /// The received share, such as "65%". Nil when ``fraction`` is.
    public let percent: String?
    /// The bytes, such as "2.4 MB / 3.7 MB" while the file is downloaded, or "3.7 MB". Empty when nothing is known.
    public let bytes: String
    /// Why the file failed, was skipped or waits, with what to do, in sentences. Nil otherwise.
    public let reason: String?
    /// What a person can do about ``reason``. Nil when only the sentence says it.
    public let remedy: Remedy?
    /// The button for ``remedy``. Nil when there is none.
    public var action: DownloadAction? { DownloadAction(remedy) }
    /// The account and its server. Nil unless several accounts have downloads.
    public let account: String?
    /// The path of the file, to open it. Nil unless it is done and a picture or video: the desktop might run other files.
    public let path: String?

    /// Whether the file can be paused.
    public var canPause: Bool { state == .waiting || state == .running }
    /// Whether the file can be resumed.
    public var canResume: Bool { state == .paused }
    /// Whether the file can be cancelled.
    public var canCancel: Bool { canPause || canResume }
    /// Whether the file can be retried, or tried now instead of later.
    public var canRetry: Bool { state == .failed || state == .waiting && reason != nil }
    /// Whether the entry can be removed from the list. The file is kept.
    public var canClear: Bool { !canCancel }

    /// What is known beside the task itself.
    struct Context {
        /// The accounts with tasks, by their ids.
        var accounts: [Account.ID: Account] = [:]
        /// The pauses of hosts, by host.
        var pauses: [String: HostPause] = [:]
        /// Whether a program fetches. A program that was killed leaves tasks marked as running.
        var isFetching = false
        /// The folder of the files, if files cannot be saved there now.
        var unusableFolder: String?

        func name(_ account: Account.ID) -> String? {
            accounts.count > 1 ? accounts[account].map(ScreenText.account) : nil
        }

        /// Why the files of an account wait for a sign-in or a new password. Nil when they do not.
        func hold(_ account: Account.ID) -> WaitReason? {
            accounts[account].flatMap { $0.isSignedIn && !$0.mustChangePassword ? nil : WaitReason($0) }
        }
    }

    /// Creates the row of a file that is being downloaded.
    init(_ file: QueueSnapshot.File, _ context: Context) {
        id = file.position
        name = ScreenText.line(file.filename)
        state = .running
        fraction = TransferText.fraction(file.received, of: file.total)
        percent = TransferText.percent(file.received, of: file.total)
        bytes = TransferText.bytes(file.received, of: file.total)
        (reason, remedy, path) = (nil, nil, nil)
        account = context.name(file.account)
    }

    /// Creates the row of a task.
    init(_ task: QueuedTask, _ context: Context) {
        id = task.position
        name = ScreenText.line(task.task.filename)
        (fraction, percent) = (nil, nil)
        bytes = task.bytes.map { TransferText.bytes($0) } ?? ""
        account = context.name(task.task.account)
        let hold = context.hold(task.task.account)
        var (reason, remedy): (String?, Remedy?) = (nil, nil)
        switch task.state {
        case .waiting:
            (state, reason) = (.waiting, Self.reason(task, context.pauses[task.host]))
            if reason != nil { remedy = .retryDownloads }
        case .running: state = context.isFetching ? .running : .waiting
        case .paused: (state, reason, remedy) = (.paused, hold?.sentence, hold?.remedy)
        case .done: state = .done
        case .skipped(let why): (state, reason) = (.skipped, why)
        case .failed(let why):
            (state, reason) = (.failed, why)
            // What must be done before a retry can succeed.
            remedy = hold?.remedy ?? context.unusableFolder.map { .mountFolder($0) } ?? .retryDownloads
        }
        self.reason = reason.map(ScreenText.sentences)
        self.remedy = remedy
        path = task.state == .done ? task.path.flatMap { Self.isMedia($0) ? $0 : nil } : nil
    }

    /// Whether the name of a file ends like that of a picture or video.
    private static func isMedia(_ path: String) -> Bool {
        let ending = path.split(separator: ".").last?.lowercased() ?? ""
        return [
            "avif", "bmp", "dng", "gif", "heic", "heif", "jpeg", "jpg", "jxl", "m4v", "mkv", "mov", "mp4", "png", "tif",
            "tiff", "webm", "webp",
        ].contains(ending)
    }

    /// Returns why a file waits for a time. Nil when it only waits for its turn.
    private static func reason(_ task: QueuedTask, _ pause: HostPause?) -> String? {
        let time = max(task.notBefore, pause?.until ?? .distantPast)
        guard time > Date(), let reason = task.waitReason ?? pause?.reason else { return nil }
        return "\(reason) The next attempt is at \(time.localTimeText)."
    }
}
