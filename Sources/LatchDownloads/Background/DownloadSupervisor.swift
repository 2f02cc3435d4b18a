import Desktop
import FoundationEssentials
import LatchKit
import Synchronization

/// Connects a running queue to its environment. It shows desktop notifications, keeps the machine awake for large
/// files, and pauses the queue without a network or on a metered one.
///
/// Where the system has no such service, the corresponding function does nothing.
///
/// ```swift
/// let supervisor = DownloadSupervisor(queue, environment: ProcessInfo.processInfo.environment)
/// try await supervisor.run { try await queue.run() }
/// ```
///
/// Source: DL-15, DL-16, DL-17.
public struct DownloadSupervisor: Sendable {
    /// The length in bytes above which a file keeps the machine awake, 256 MiB.
    public static let largeFile = 256 << 20

    private let queue: DownloadQueue
    private let network: NetworkWatch
    private let fetchesMetered: Bool
    private let notifier: DownloadNotifier
    private let inhibitor: SleepInhibitor

    /// Creates a supervisor.
    ///
    /// - Parameters:
    ///   - queue: The queue that will run.
    ///   - environment: The environment variables that locate the services of the system and the desktop.
    ///   - fetchesMetered: Whether to fetch on metered networks too. Default: false.
    public init(_ queue: DownloadQueue, environment: [String: String], fetchesMetered: Bool = false) {
        self.queue = queue
        self.fetchesMetered = fetchesMetered
        network = NetworkWatch(environment)
        // Not a delay, because its five seconds are too short for a large file.
        inhibitor = SleepInhibitor(environment, mode: .block)
        notifier = DownloadNotifier(environment)
    }

    /// Runs `work` and supervises the queue until it ends. The state of the network is checked first.
    ///
    /// - Parameters:
    ///   - onStart: Called once when the queue is working.
    ///   - work: Runs the queue.
    /// - Returns: The result of `work`.
    /// - Throws: The errors of `work`; a `LatchError` with a `storage` code.
    public func run<Value: Sendable>(
        onStart: @escaping @Sendable () -> Void = {}, _ work: () async throws -> Value
    ) async throws -> Value {
        let before = try await queue.progress()
        let hold = NetworkPause()
        let states = network.states
        for await state in states {
            await apply(state, hold)
            break
        }
        let watching = Task { for await state in states { await apply(state, hold) } }
        let events = queue.events { event in
            switch event {
            case .pauseReasonChanged, .overall: true
            case .progress, .status, .complete, .error: false
            }
        }
        let notifying = Task { await notify(of: events, since: before, pause: hold, onStart: onStart) }
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        // Waited for, so that no late report of the network pauses the queue after the pause is removed below.
        for task in [watching, notifying] {
            task.cancel()
            await task.value
        }
        if case .success = result { onStart() }
        await inhibitor.release()
        // Nobody watches the network any more, so nothing else would end this pause.
        if hold.replace(with: nil) { await queue.pauseAll(reason: nil) }
        await finish(result, since: before)
        return try result.get()
    }

    private func apply(_ state: NetworkState, _ hold: NetworkPause) async {
        let reason = WaitReason(state, fetchesMetered: fetchesMetered)
        if hold.replace(with: reason) { await queue.pauseAll(reason: reason) }
    }

    private func notify(
        of events: AsyncStream<DownloadEvent>, since before: OverallProgress, pause: NetworkPause,
        onStart: @Sendable () -> Void
    ) async {
        var (reason, hasBegun): (WaitReason?, Bool) = (nil, false)
        for await event in events {
            switch event {
            case .pauseReasonChanged(let new): reason = new
            case .overall(let progress):
                if !hasBegun {
                    onStart()
                    // Listeners that were added when the queue started have not received the reason yet.
                    if let reason = pause.current { queue.broadcast.send(.pauseReasonChanged(reason)) }
                }
                hasBegun = true
                let large = await queue.runningFile(largerThan: Self.largeFile)
                if let large { await inhibitor.hold("Downloading \(large)") } else { await inhibitor.release() }
                await notifier.notify(progress, since: before, large: large, waitReason: reason?.sentence)
            default: break
            }
        }
    }

    private func finish<Value>(_ result: Result<Value, any Error>, since before: OverallProgress) async {
        guard let now = try? await queue.progress() else { return await notifier.close() }
        switch result {
        case .success: await notifier.finish(now, since: before, error: nil)
        case .failure(is CancellationError): await notifier.close()
        case .failure(let error): await notifier.finish(now, since: before, error: (error as? LatchError)?.message)
        }
    }
}

/// The reason why the network pauses a queue. Nil when it does not.
private final class NetworkPause: Sendable {
    private let reason = Mutex<WaitReason?>(nil)

    var current: WaitReason? { reason.withLock { $0 } }

    /// Replaces the reason. Returns whether it changed.
    func replace(with new: WaitReason?) -> Bool {
        reason.withLock { reason in
            defer { reason = new }
            return reason != new
        }
    }
}

extension DownloadQueue {
    /// Returns the name of a file that is being fetched and is longer than `limit` bytes.
    func runningFile(largerThan limit: Int) -> String? {
        running.values.first { $0.progress.total ?? 0 > limit }?.row.task.filename
    }
}
