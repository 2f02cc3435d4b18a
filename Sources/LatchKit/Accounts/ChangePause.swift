import Desktop

/// The pauses between two readings of files that other programs change: until a file changes, where the system reports it.
/// Otherwise the poll interval.
///
/// Source: inotify(7).
final class ChangePause: Sendable {
    private let changes: FileChanges?
    private let interval: Duration

    /// Begins to watch files.
    ///
    /// - Parameters:
    ///   - paths: The paths of the files, which may be missing. They are in one folder.
    ///   - interval: The poll interval.
    init(paths: [String], interval: Duration) {
        self.interval = interval
        let parts = paths.compactMap { path in path.lastIndex(of: "/").map { (path[..<$0], path[$0...].dropFirst()) } }
        changes = parts.first.flatMap { folder, _ in
            FileChanges(of: Set(parts.map { String($0.1) }), in: String(folder))
        }
    }

    /// Waits until a file has changed, or for the poll interval when the system does not report changes.
    ///
    /// - Returns: Whether a change was reported.
    func wait() async -> Bool {
        if await changes?.next() ?? false { return true }
        await poll()
        return false
    }

    /// Reports changes of files.
    ///
    /// - Parameters:
    ///   - paths: The paths of the files, which may be missing. They are in one folder.
    ///   - interval: The poll interval.
    /// - Returns: A stream with an element at once, and one after each change, or at the poll interval when the system
    ///   does not report changes. Several changes may be reported as one. It ends when it is no longer read.
    static func changes(of paths: [String], interval: Duration) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                let pause = ChangePause(paths: paths, interval: interval)
                while !Task.isCancelled {
                    continuation.yield()
                    _ = await pause.wait()
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Waits for the poll interval.
    func poll() async { try? await Task.sleep(for: interval) }
}
