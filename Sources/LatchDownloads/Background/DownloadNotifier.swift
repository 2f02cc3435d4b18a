import Desktop

/// The desktop notifications about downloads: one that is updated while they run, and one at their end.
///
/// Source: DL-15, DL-16.
struct DownloadNotifier: Sendable {
    private let notification: DesktopNotification

    init(_ environment: [String: String]) {
        notification = DesktopNotification(environment, name: "latchstring-downloads")
    }

    /// Updates the notification. `large` is the name of a large file that is being fetched; the notification then stays
    /// on the screen.
    func notify(
        _ now: OverallProgress, since before: OverallProgress, large: String?, waitReason reason: String?
    ) async {
        let count = Count(now, since: before)
        guard count.all > 0, now.open > 0 else { return }
        await notification.update(
            .init(
                title: TransferText.downloading(count.all), body: reason ?? large ?? "", progress: count.percent,
                isPersistent: large != nil))
    }

    /// Shows the notification about the end. Shows none when nothing was fetched.
    func finish(_ now: OverallProgress, since before: OverallProgress, error: String?) async {
        let count = Count(now, since: before)
        guard count.done + count.failed > 0 || error != nil else { return await close() }
        var body = TransferText.items(count.done) + " saved to gallery"
        if count.failed > 0 { body += ", \(count.failed) failed" }
        if now.open > 0 { body += ", \(now.open) left" }
        if let error { body += "\n\(error)" }
        let isWhole = error == nil && now.open == 0 && (count.done > 0 || count.failed == 0)
        await notification.finish(.init(title: isWhole ? "Download complete" : "Download stopped", body: body))
    }

    /// Removes the notification.
    func close() async { await notification.close() }

}

/// The counts of one run, without what the queue held before.
private struct Count {
    let done: Int
    let failed: Int
    let all: Int
    let percent: Int

    init(_ now: OverallProgress, since before: OverallProgress) {
        // The queue may have been cleared meanwhile.
        done = max(0, now.done - before.done)
        failed = max(0, now.failed - before.failed)
        let over = done + failed + max(0, now.skipped - before.skipped)
        all = over + now.open
        let received = now.received - before.received
        if let total = now.total, total > before.received {
            percent = min(100, max(0, received * 100 / (total - before.received)))
        } else {
            percent = all > 0 ? over * 100 / all : 0
        }
    }
}
