import FoundationEssentials
import LatchKit

/// What a queue, its fetcher and its placer share.
struct DownloadContext: Sendable {
    let latch: LatchClient
    let store: DownloadStore
    /// Where the files are put, and under which names.
    let library: any DownloadLibrary
    let folder: DownloadFolder
    let settings: DownloadSettings
    /// Returns the time of the wall clock.
    let now: @Sendable () -> Date
    let hook: DownloadHook
    let broadcast: EventBroadcast
}

/// Hooks for tests: steps after which a test can stop the queue as a crash would, and a replacement for random numbers.
struct DownloadHook: Sendable {
    enum Step: Sendable, CaseIterable { case started, fetched, fileRecorded, placed, partRecorded, joined, firstPlaced }

    var after: @Sendable (Step) async throws -> Void = { _ in }
    /// Called when nothing is left to fetch and the lock is still held.
    var beforeRelease: @Sendable () async -> Void = {}
    /// Called after the lock was released, and before the queue checks for tasks that other programs left to it.
    var afterRelease: @Sendable () async -> Void = {}
    /// Returns a number from 0 to 1 for each delay.
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
}
