import FoundationEssentials
import LatchDownloads
import LatchKit
import Terminal

/// Shows the progress of a queue: bars on a terminal, a line for each file without one, or JSON if requested.
///
/// Source: DL-7, DL-9.
struct DownloadDisplay {
    let console: Console

    /// How often the state of another program's queue is read.
    private static let interval = Duration.milliseconds(500)

    /// Runs the queue and shows its progress until nothing is left.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - group: The group of tasks to fetch. Nil for all groups.
    /// - Returns: The exit code: 0 when nothing has failed and nothing waits for a sign-in.
    /// - Throws: The errors of the queue's run.
    func show(_ queue: DownloadQueue, only group: DownloadGroup? = nil) async throws -> ExitCode {
        let board = DownloadBoard(console: console, since: try await queue.progress())
        // Every file gets its line, even with a slow reader. A separate thread keeps that reader from blocking a
        // shared one.
        let events = queue.everyEvent(board.wants)
        let showing = Task(executorPreference: WritingThread()) {
            for await event in events {
                if let id = event.idToName, board.wantsName(of: id) {
                    board.name(id, (try? await queue.filename(of: id)) ?? nil)
                }
                board.handle(event)
            }
        }
        let result: Result<Void, any Error>
        do { result = .success(try await queue.run(only: group)) } catch { result = .failure(error) }
        queue.endEvents()
        await showing.value
        board.finish()
        try result.get()
        return try end(
            board.sinceThen(try await queue.progress()), mustSignIn: board.waitReason != nil,
            "To try them again: latch downloads retry", isPart: group != nil)
    }

    /// Shows the progress of another program's queue, until nothing is left or that program ends.
    func watch(_ queue: DownloadQueue) async throws -> ExitCode {
        var snapshot = try await queue.snapshot()
        let board = DownloadBoard(console: console, since: snapshot.overall)
        defer { board.finish() }
        var held: WaitReason?
        while try queue.isRunningSomewhere() {
            for file in snapshot.running {
                board.name(file.taskID, file.filename)
                board.handle(.progress(id: file.taskID, received: file.received, total: file.total))
            }
            if snapshot.waitReason != held {
                held = snapshot.waitReason
                board.handle(.pauseReasonChanged(held))
            }
            board.handle(.overall(snapshot.overall))
            try await Task.sleep(for: Self.interval)
            let before = snapshot.running
            snapshot = try await queue.snapshot(since: before)
            for file in snapshot.ended {
                board.name(file.taskID, file.filename)
                board.report(file)
            }
        }
        board.finish()
        return try end(
            board.sinceThen(snapshot.overall), mustSignIn: try await queue.isSignInAwaited(),
            "To see why: latch downloads list. To try them again: latch downloads retry")
    }

    private func end(
        _ progress: OverallProgress, mustSignIn: Bool, _ remedy: String, isPart: Bool = false
    ) throws -> ExitCode {
        try console.result(
            [Self.summary(progress)],
            json: [
                "event": "end", "done": .number(Double(progress.done)), "skipped": .number(Double(progress.skipped)),
                "failed": .number(Double(progress.failed)), "open": .number(Double(progress.open)),
            ])
        if !console.isJSON {
            if progress.failed > 0 { console.printMessage(remedy) }
            if progress.open > 0 {
                console.printMessage(
                    isPart
                        ? "To download the files that wait: latch download"
                        : "To continue paused files: latch downloads resume, then latch download")
            }
        }
        if mustSignIn, progress.open > 0 { return .signIn }
        return progress.failed == 0 ? .done : .failed
    }

    private static func summary(_ progress: OverallProgress) -> String {
        var parts = [progress.done == 1 ? "1 file downloaded" : "\(progress.done) files downloaded"]
        if progress.received > 0 { parts[0] += " (\(TransferText.bytes(progress.received)))" }
        if progress.skipped > 0 { parts.append("\(progress.skipped) skipped") }
        if progress.failed > 0 { parts.append("\(progress.failed) failed") }
        if progress.open > 0 { parts.append("\(progress.open) waiting") }
        return parts.joined(separator: ", ") + "."
    }
}
