package import LatchKit
import Synchronization

/// Searches a library again whenever the server reports a change.
///
/// A burst of events makes one search. A connection that is open again makes one too, because events of the time without
/// a connection are lost. A search that the server does not answer is repeated after a pause.
///
/// Source: IM-6.
package struct LibraryFollower: Sendable {
    private let settle: @Sendable () async throws -> Void
    private let retryPause: @Sendable (_ failures: Int) async throws -> Void

    /// Creates a follower.
    ///
    /// - Parameters:
    ///   - settle: Waits for the further events of a burst. Default: 2 seconds.
    ///   - retryPause: Waits before a search that failed so many times is repeated. Default: 1 minute, doubled after each
    ///     failure up to 16 minutes.
    package init(
        settle: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(2)) },
        retryPause: @escaping @Sendable (_ failures: Int) async throws -> Void = { failures in
            try await Task.sleep(for: .seconds(60) * (1 << min(failures - 1, 4)))
        }
    ) {
        self.settle = settle
        self.retryPause = retryPause
    }

    /// Runs `search` after each burst of changes, one search at a time, until the updates end.
    ///
    /// - Parameters:
    ///   - updates: The updates of the account's server.
    ///   - onFailure: Called with the error of a search that is repeated.
    ///   - search: Searches the library. It is repeated after an error with ``LatchError/Code/leavesSessionUnknown``.
    /// - Throws: The errors of the updates, and the other errors of `search`; `CancellationError`.
    package func run<Updates: AsyncSequence & Sendable>(
        _ updates: Updates, onFailure: (LatchError) -> Void = { _ in }, search: () async throws -> Void
    ) async throws where Updates.Element == RealTimeUpdate {
        let (signals, continuation) = AsyncThrowingStream<Void, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let changes = PendingChanges()
        let reading = Task {
            do {
                for try await update in updates where Self.isChange(update) {
                    changes.add()
                    continuation.yield()
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        defer { reading.cancel() }
        for try await _ in signals where changes.isPending {
            try await settle()
            changes.clear()
            var failures = 0
            while true {
                do {
                    try await search()
                    break
                } catch let error as LatchError where error.code.leavesSessionUnknown {
                    failures += 1
                    onFailure(error)
                    try await retryPause(failures)
                }
            }
        }
        try Task.checkCancellation()
    }

    private static func isChange(_ update: RealTimeUpdate) -> Bool {
        switch update {
        case .connected, .event(.assetAdded), .event(.assetChanged), .event(.assetsRestored): true
        case .disconnected, .event: false
        }
    }
}

/// Whether there were changes since the last search began.
private final class PendingChanges: Sendable {
    private let state = Mutex(false)

    var isPending: Bool { state.withLock { $0 } }

    func add() { state.withLock { $0 = true } }

    func clear() { state.withLock { $0 = false } }
}
