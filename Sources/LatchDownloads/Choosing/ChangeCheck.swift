import HTTPClient
public import LatchKit

/// Asks servers whether files that were downloaded by their addresses have changed since.
///
/// Source: RFC 9110 §13.1.
public struct ChangeCheck: Sendable {
    /// How many requests are sent at the same time.
    private static let parallelRequests = 6

    private let latch: LatchClient
    private let library: PictureLibrary

    /// Creates a check of a library's files.
    public init(_ latch: LatchClient, _ library: PictureLibrary) {
        self.latch = latch
        self.library = library
    }

    /// Returns those of the given tasks whose files changed on the server.
    ///
    /// A file counts as unchanged when the server does not tell, or when no version was stored for the file. A server
    /// that does not respond is not asked about the remaining files.
    ///
    /// - Throws: A `LatchError` with a `storage` code; `CancellationError`.
    public func changed(among tasks: [DownloadTask]) async throws -> [DownloadTask] {
        let files = tasks.filter { $0.group == .file }
        let versions = try await library.versions(of: files)
        var sessions: [Account.ID: Session] = [:]
        for id in Set(files.map(\.account)) {
            guard let account = try await latch.accounts.account(id), account.isSignedIn else { continue }
            sessions[id] = try latch.session(for: account)
        }
        var changed: [DownloadTask] = []
        let known = files.filter { versions[$0.id] != nil }
        for start in stride(from: 0, to: known.count, by: Self.parallelRequests) {
            let looks = try await looks(
                at: known[start..<min(start + Self.parallelRequests, known.count)], since: versions, with: sessions)
            for (task, look) in looks {
                switch look {
                case .changed: changed.append(task)
                case .same: break
                case .unanswered: sessions[task.account] = nil
                }
            }
        }
        return changed
    }

    private enum CheckResult { case changed, same, unanswered }

    private func looks(
        at tasks: ArraySlice<DownloadTask>, since versions: [DownloadTask.ID: ResumePoint],
        with sessions: [Account.ID: Session]
    ) async throws -> [(DownloadTask, CheckResult)] {
        try await withThrowingTaskGroup(of: (Int, CheckResult).self) { group in
            for (index, task) in zip(tasks.indices, tasks) {
                guard let version = versions[task.id], let session = sessions[task.account] else { continue }
                group.addTask { (index, try await Self.check(at: task, since: version, with: session)) }
            }
            var looks: [(index: Int, look: CheckResult)] = []
            for try await look in group { looks.append((look.0, look.1)) }
            return looks.sorted { $0.index < $1.index }.map { (tasks[$0.index], $0.look) }
        }
    }

    private static func check(
        at task: DownloadTask, since version: ResumePoint, with session: Session
    ) async throws -> CheckResult {
        do {
            return try await session.client.isChanged(task.url, since: version) == true ? .changed : .same
        } catch let error as LatchError where error.code != .cancelled {
            return .unanswered
        }
    }
}
