import FoundationEssentials
import LatchDownloads
import LatchKit

/// Commands on downloads. Each takes the ids of shown rows, or nil for all files of the queue.
///
/// They run one after another and are completed even when the screen is left.
///
/// Source: DL-12, DL-17.
extension DownloadsScreen: CommandScreen {
    /// Pauses files. What was received is kept.
    public func pause(_ ids: Set<DownloadRow.ID>? = nil) {
        perform(on: ids) { try await $0.pause($1, of: $2) }
    }

    /// Resumes paused files, and starts the background program if none runs.
    public func resume(_ ids: Set<DownloadRow.ID>? = nil) {
        perform(on: ids, fetches: true) { try await $0.resume($1, of: $2) }
    }

    /// Retries failed files, and tries those now that wait for a time. Starts the background program if none runs.
    public func retry(_ ids: Set<DownloadRow.ID>? = nil) {
        perform(on: ids, fetches: true) { try await $0.retryFailed($1, of: $2) }
    }

    /// Cancels files. What was received of them is deleted.
    public func cancel(_ ids: Set<DownloadRow.ID>) {
        perform(on: ids) { queue, ids, account in try await queue.cancel(ids ?? [], of: account) }
    }

    /// Asks whether to cancel all downloads.
    public func askToCancelAll() {
        guard case .list = state, overview?.canCancel ?? false else { return }
        state = .confirming
    }

    /// Answers the question with yes: cancels all downloads.
    public func confirm() {
        guard state == .confirming else { return }
        perform(on: nil) { queue, _, _ in try await queue.cancelAll() }
    }

    /// Answers the question with no.
    public func keep() {
        if state == .confirming { state = .list(nil) }
    }

    /// Removes ended entries from the list. The files are kept.
    public func clear(_ ids: Set<DownloadRow.ID>? = nil) {
        perform(on: ids) { try await $0.clear($1, of: $2) }
    }

    /// Starts the background program, if files wait and none runs.
    public func start() { perform(on: [], fetches: true) { _, _, _ in 0 } }

    func finishCommands() async { await command?.value }

    private func perform(
        on ids: Set<DownloadRow.ID>?, fetches: Bool = false,
        _ action: @escaping @Sendable (DownloadQueue, [String]?, Account.ID?) async throws -> Int
    ) {
        let chosen = ids.map { ids in Dictionary(grouping: ids.compactMap { targets[$0] }, by: \.account) }
        state = .list(nil)
        command = Task { [previous = command] in
            await previous?.value
            do {
                let queue = try await openQueue()
                if let chosen {
                    for (account, tasks) in chosen { _ = try await action(queue, tasks.map(\.id), account) }
                } else {
                    _ = try await action(queue, nil, nil)
                }
                if fetches {
                    try await queue.fetchInBackground(environment: environment, program: program)
                } else {
                    await DownloadService(.queue, environment: environment).remove(ifDone: queue)
                }
            } catch {
                state = .list(ScreenError(error))
            }
        }
    }
}
