package import LatchKit
import Synchronization

/// Searches a library again whenever the server reports a change.
///
/// A burst of events makes one search. A connection that is open again makes one too, because events of the time without
/// a connection are lost.
///
/// Source: IM-6.
package struct LibraryFollower: Sendable {
    private let settle: @Sendable () async throws -> Void

    /// Creates a follower.
    ///
    /// - Parameter settle: Waits for the further events of a burst. Default: 2 seconds.
    package init(settle: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(2)) }) {
        self.settle = settle
    }

    /// Runs `search` after each burst of changes, one search at a time, until the updates end.
    ///
    /// - Throws: The errors of the updates and of `search`; `CancellationError`.
    package func run<Updates: AsyncSequence & Sendable>(
        _ updates: Updates, search: () async throws -> Void
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
            try await search()
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
