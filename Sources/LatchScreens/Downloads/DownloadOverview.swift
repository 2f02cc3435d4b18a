import LatchDownloads
public import LatchKit

/// The state of all downloads together. Its texts are safe to be displayed.
///
/// Source: DL-9.
public struct DownloadOverview: Equatable, Sendable {
    /// What happens to the files of the queue.
    public enum Phase: Equatable, Sendable {
        /// The queue is empty.
        case empty
        /// Files are being downloaded.
        case downloading
        /// The background program runs, and waits for something.
        case waiting
        /// Files wait, and no program downloads them.
        case stopped
        /// All unfinished files are paused.
        case paused
        /// No file is unfinished.
        case complete
    }

    /// What happens to the files of the queue.
    public let phase: Phase
    /// What happens, in a few words, such as "Downloading 3 items…".
    public let title: String
    /// The share of all downloads, from 0 to 1.
    public let fraction: Double
    /// The number of ended files and of all files, such as "3 of 10 files".
    public let files: String
    /// The received bytes and all bytes, such as "2.4 MB of 3.7 MB".
    public let bytes: String
    /// The rate, such as "2.4 MB/s". Nil unless files are being downloaded.
    public let rate: String?
    /// The remaining time, such as "1:05 left". Nil when it cannot be estimated.
    public let timeLeft: String?
    /// The number of failed files, such as "2 failed". Nil when there are none.
    public let failures: String?
    /// Why files wait, with what to do, in sentences. Nil when nothing holds them up.
    public let waitReason: String?
    /// What a person can do about ``waitReason``. Nil when only the sentence says it.
    public let remedy: Remedy?
    /// The button for ``remedy``. Nil when there is none.
    public var action: DownloadAction? { DownloadAction(remedy) }
    /// Whether any file can be paused.
    public let canPause: Bool
    /// Whether any file can be resumed.
    public let canResume: Bool
    /// Whether any file can be retried, or tried now instead of later.
    public let canRetry: Bool
    /// Whether any file can be cancelled.
    public let canCancel: Bool
    /// Whether any entry can be removed from the list.
    public let canClear: Bool

    init(_ snapshot: QueueSnapshot, network: WaitReason?, isFetching: Bool) {
        let overall = snapshot.overall
        let (ended, waiting) = (overall.done + overall.skipped + overall.failed, overall.open - snapshot.paused)
        // On a full disk, the complete part of a live photo is still marked as running.
        let isFull = if case .space = snapshot.waitReason?.kind { true } else { false }
        let isRunning = isFetching && !snapshot.running.isEmpty && !isFull
        phase =
            isRunning
            ? .downloading
            : waiting > 0
                ? isFetching ? .waiting : .stopped
                : overall.open > 0 ? .paused : ended > 0 ? .complete : .empty
        title = Self.title(phase, waiting, failed: overall.failed, ended)
        fraction =
            TransferText.fraction(overall.received, of: overall.total)
            ?? TransferText.fraction(ended, of: ended + overall.open) ?? 0
        (files, bytes) = (overall.filesText, overall.bytesText)
        (rate, timeLeft) = isRunning ? (overall.rateText, overall.timeLeftText) : (nil, nil)
        failures = overall.failed > 0 ? "\(overall.failed) failed" : nil
        let reason = snapshot.waitReason ?? (phase == .waiting ? network : nil)
        waitReason = overall.open > 0 ? reason.map { ScreenText.sentences($0.sentence) } : nil
        remedy = overall.open > 0 ? reason?.remedy : nil
        (canPause, canResume) = (waiting > 0, snapshot.paused > 0)
        canRetry = overall.failed > 0 || reason?.remedy == .retryDownloads
        (canCancel, canClear) = (overall.open > 0, ended > 0)
    }

    private static func title(_ phase: Phase, _ waiting: Int, failed: Int, _ ended: Int) -> String {
        switch phase {
        case .empty: "No downloads"
        case .downloading: TransferText.downloading(waiting)
        case .waiting: "\(TransferText.items(waiting)) waiting"
        case .stopped: "\(TransferText.items(waiting)) not started"
        case .paused: "Paused"
        case .complete where failed == ended: "Download failed"
        case .complete: failed > 0 ? "Download complete, \(failed) failed" : "Download complete"
        }
    }
}
