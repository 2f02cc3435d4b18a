import FoundationEssentials
import LatchDownloads
import LatchKit
import Primitives
import Synchronization
import Terminal

/// The display of running downloads: a progress bar for each file, and one line for all files.
///
/// There are no bars when standard error is not a terminal, or its lines cannot be overwritten. A line for all files is
/// then printed every ten seconds.
final class DownloadBoard: Sendable {
    private struct State {
        var files: [(id: String, received: Int, total: Int?)] = []
        var names: [String: String] = [:]
        var overall: OverallProgress?
        var shown = 0
        var lastPrinted = ContinuousClock.now
        var waitReason: WaitReason?
        var lastPath: String?
        /// Lines for standard output that are printed together later.
        var lines: [UInt8] = []
    }

    private let console: Console
    private let isLive: Bool
    private let before: OverallProgress
    private let state = Mutex(State())

    /// How often the line for all files is printed when there are no bars.
    private static let pause = Duration.seconds(10)

    /// Creates a board that counts from the given progress.
    init(console: Console, since before: OverallProgress) {
        self.console = console
        self.before = before
        isLive = !console.isJSON && console.isLive
    }

    /// Why the queue is paused. Nil when it is not.
    var waitReason: WaitReason? { state.withLock { $0.waitReason } }

    /// Whether an event would be shown.
    func wants(_ event: DownloadEvent) -> Bool {
        switch event {
        // The start of a file is shown by its progress.
        case .status(_, .running): console.isJSON
        case .status, .progress: console.isJSON || isLive
        case .complete, .error, .overall, .pauseReasonChanged: true
        }
    }

    /// Whether the name of a file would be shown but is not known yet.
    func wantsName(of id: String) -> Bool { !console.isJSON && state.withLock { $0.names[id] == nil } }

    /// Sets the name of a file. Nil means that its id is shown.
    func name(_ id: String, _ name: String?) {
        state.withLock { $0.names[id] = name ?? id }
    }

    /// Returns the progress since the board was created.
    func sinceThen(_ overall: OverallProgress) -> OverallProgress {
        var overall = overall
        overall.done = max(0, overall.done - before.done)
        overall.skipped = max(0, overall.skipped - before.skipped)
        overall.failed = max(0, overall.failed - before.failed)
        overall.received = max(0, overall.received - before.received)
        overall.total = overall.total.map { max(0, $0 - before.received) }
        return overall
    }

    /// Shows an event.
    func handle(_ event: DownloadEvent) {
        var event = event
        if case .overall(let overall) = event { event = .overall(sinceThen(overall)) }
        if case .pauseReasonChanged(let reason) = event { state.withLock { $0.waitReason = reason } }
        if console.isJSON {
            append(event.json.encoded())
            switch event {
            case .overall, .pauseReasonChanged, .error: flush()
            case .progress, .status, .complete: break
            }
            return
        }
        switch event {
        case .progress(let id, let received, let total): recordProgress(of: id, received: received, total: total)
        case .status(let id, let status): if status != .running { remove(id) }
        case .complete(_, let path): if isNew(path) { append(Array(path.printable.utf8)) }
        case .error(let id, let reason): report(id, reason)
        case .overall(let progress): show(progress)
        case .pauseReasonChanged(let reason):
            line { console.printMessage(reason?.sentenceWithCommand.printable ?? "The download continues.") }
        }
    }

    /// Shows the result of a file that another program has fetched.
    func report(_ file: QueueSnapshot.File) {
        handle(.status(id: file.taskID, file.state))
        switch file.state {
        case .done: if let path = file.path { handle(.complete(id: file.taskID, path: path)) }
        case .failed(let reason), .skipped(let reason): handle(.error(id: file.taskID, reason))
        case .waiting, .running, .paused: break
        }
    }

    /// Removes the bars, and prints the lines that were kept.
    func finish() {
        write(clearing())
        flush()
    }

    private func recordProgress(of id: String, received: Int, total: Int?) {
        guard isLive else { return }
        state.withLock { state in
            if let index = state.files.firstIndex(where: { $0.id == id }) {
                state.files[index] = (id, received, total)
            } else {
                state.files.append((id, received, total))
            }
        }
    }

    /// Whether a path is not the last one that was printed. Both parts of a live photo may be in one file.
    private func isNew(_ path: String) -> Bool {
        state.withLock { state in
            defer { state.lastPath = path }
            return state.lastPath != path
        }
    }

    private func remove(_ id: String) {
        state.withLock { state in
            state.files.removeAll { $0.id == id }
            state.names[id] = nil
        }
    }

    private func report(_ id: String, _ reason: String) {
        let isHere = reason.hasPrefix("The file is already here")
        let name = state.withLock { $0.names.removeValue(forKey: id) } ?? id
        line {
            console.printMessage("\(isHere ? "·" : console.errors.bad("✗")) \(name.printable): \(reason.printable)")
        }
    }

    /// Keeps a line, to print it together with the next ones.
    private func append(_ line: [UInt8]) {
        state.withLock { $0.lines += line + [UInt8(ascii: "\n")] }
    }

    private func flush() {
        let lines = state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
        if !lines.isEmpty { try? console.raw(lines) }
    }

    private func show(_ progress: OverallProgress) {
        write(clearing())
        flush()
        let isDue = state.withLock { state in
            state.overall = progress
            guard !isLive, state.lastPrinted + Self.pause <= .now, progress.open > 0 else { return false }
            state.lastPrinted = .now
            return true
        }
        if isDue { console.printMessage(DownloadText.overall(progress)) }
        draw()
    }

    /// Prints one line above the bars.
    private func line(_ print: () -> Void) {
        write(clearing())
        flush()
        print()
        draw()
    }

    private func draw() {
        guard isLive else { return }
        let old = clearing()
        let width = (Descriptor.columns(of: Descriptor.errors) ?? 80) - 1
        let text = state.withLock { state -> String in
            var lines = state.files.prefix(12).map { file in
                DownloadText.file(
                    state.names[file.id] ?? file.id, received: file.received, total: file.total, width: width)
            }
            if let overall = state.overall { lines.append(DownloadText.fitting(DownloadText.overall(overall), width)) }
            state.shown = lines.count
            return lines.map { $0 + "\n" }.joined()
        }
        write(old + text)
    }

    /// Returns the escape sequence that removes the lines on the screen.
    private func clearing() -> String {
        guard isLive else { return "" }
        let lines = state.withLock { state in
            defer { state.shown = 0 }
            return state.shown
        }
        return lines > 0 ? "\u{1B}[\(lines)A\r\u{1B}[J" : ""
    }

    private func write(_ text: String) {
        guard !text.isEmpty else { return }
        try? Descriptor.write(Array(text.utf8), to: Descriptor.errors)
    }
}
