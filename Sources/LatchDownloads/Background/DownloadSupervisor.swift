import Desktop
import FoundationEssentials
import LatchKit
import Synchronization

/// Sees to what is around a queue while it runs: tells the desktop how it goes, keeps the machine awake for large
/// files, and has it rest where there is no network, or a metered one.
///
/// Where there is no desktop, no logind or no NetworkManager, that part of it does nothing.
///
/// ```swift
/// try await DownloadSupervisor(queue, environment: environment).keep { try await queue.run() }
/// ```
///
/// Source: DL-15, DL-16, DL-17.
public struct DownloadSupervisor: Sendable {
    /// Files of more bytes keep the machine awake.
    public static let largeFile = 256 << 20

    private let queue: DownloadQueue
    private let network: NetworkWatch
    private let fetchesMetered: Bool
    private let advice: String
    private let news: DownloadNotifier
    private let inhibitor: SleepInhibitor

    /// Makes a keeper.
    ///
    /// - Parameters:
    ///   - queue: The queue that will run.
    ///   - environment: Where the buses of the session and of the machine are found.
    ///   - fetchesMetered: Whether to fetch on networks too that count what they carry.
    ///   - advice: What people are told besides when a metered network holds everything up: how to fetch all the same.
    public init(
        _ queue: DownloadQueue, environment: [String: String], fetchesMetered: Bool = false, advice: String = ""
    ) {
        self.queue = queue
        self.fetchesMetered = fetchesMetered
        self.advice = advice
        network = NetworkWatch(.system(environment))
        inhibitor = SleepInhibitor(.system(environment))
        news = DownloadNotifier(.session(environment))
    }

    /// Does `work`, which runs the queue, and sees to what is around it until it ends. The network is looked at first.
    ///
    /// - Parameters:
    ///   - begun: Called once when the queue is at work.
    ///   - work: Runs the queue.
    /// - Returns: What `work` returns.
    /// - Throws: What `work` throws; the codes of the storage.
    public func keep<Value: Sendable>(
        begun: @escaping @Sendable () -> Void = {}, _ work: () async throws -> Value
    ) async throws -> Value {
        let before = try await queue.progress()
        let hold = NetworkHold()
        let states = network.states
        for await state in states {
            await obey(state, hold)
            break
        }
        let watching = Task { for await state in states { await obey(state, hold) } }
        let events = queue.events { event in
            switch event {
            case .held, .overall: true
            case .progress, .status, .complete, .error: false
            }
        }
        let telling = Task { await tell(events, since: before, hold, begun) }
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        for task in [watching, telling] {
            task.cancel()
            await task.value
        }
        if case .success = result { begun() }
        await inhibitor.release()
        if hold.replace(with: nil) { await queue.hold(nil) }
        await finish(result, since: before)
        return try result.get()
    }

    private func obey(_ state: NetworkState, _ hold: NetworkHold) async {
        var reason: String?
        if !state.isConnected {
            reason = "There is no network. It goes on when there is one."
        } else if state.isMetered, !fetchesMetered {
            reason = "This network is metered. It goes on in another one." + (advice.isEmpty ? "" : " " + advice)
        }
        if hold.replace(with: reason) { await queue.hold(reason) }
    }

    private func tell(
        _ events: AsyncStream<DownloadEvent>, since before: OverallProgress, _ hold: NetworkHold,
        _ begun: @Sendable () -> Void
    ) async {
        var (reason, hasBegun): (String?, Bool) = (nil, false)
        for await event in events {
            switch event {
            case .held(let new): reason = new
            case .overall(let progress):
                if !hasBegun {
                    begun()
                    // Who listens since the queue runs has not heard it yet.
                    if let reason = hold.current { queue.broadcast.send(.held(reason)) }
                }
                hasBegun = true
                let large = await queue.runningFile(largerThan: Self.largeFile)
                if let large { await inhibitor.hold("Downloading \(large)") } else { await inhibitor.release() }
                await news.tell(progress, since: before, large: large, heldBecause: reason)
            default: break
            }
        }
    }

    private func finish<Value>(_ result: Result<Value, any Error>, since before: OverallProgress) async {
        guard let now = try? await queue.progress() else { return await news.close() }
        switch result {
        case .success: await news.finish(now, since: before, error: nil)
        case .failure(is CancellationError): await news.close()
        case .failure(let error): await news.finish(now, since: before, error: (error as? LatchError)?.message)
        }
    }
}

/// Why the network holds a queue up, if it does.
private final class NetworkHold: Sendable {
    private let reason = Mutex<String?>(nil)

    var current: String? { reason.withLock { $0 } }

    /// Whether that changed something.
    func replace(with new: String?) -> Bool {
        reason.withLock { reason in
            defer { reason = new }
            return reason != new
        }
    }
}

extension DownloadQueue {
    /// The name of a file that is being fetched and has more bytes.
    func runningFile(largerThan limit: Int) -> String? {
        running.values.first { $0.progress.total ?? 0 > limit }?.row.task.filename
    }
}
