import HTTPClient
import Synchronization

/// A task that is being fetched, as the queue holds it.
final class RunningFetch: Sendable {
    let row: QueuedTask
    private let part = Mutex<DownloadPart?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)
    private let wasStopped = Mutex(false)

    init(_ row: QueuedTask) { self.row = row }

    /// How far it has come.
    var progress: (position: Int, received: Int, total: Int?) {
        part.withLock { part in (row.position, part?.count ?? 0, part?.total ?? row.task.metadata.size) }
    }

    func open(_ part: DownloadPart) { self.part.withLock { $0 = part } }

    func begin(_ work: Task<Void, Never>) {
        task.withLock { $0 = work }
        if wasStopped.withLock({ $0 }) { work.cancel() }
    }

    /// Waits for the end.
    func ended() async { await task.withLock { $0 }?.value }

    /// Ends the transfer; the part keeps what it has.
    func stop() {
        wasStopped.withLock { $0 = true }
        task.withLock { $0 }?.cancel()
    }
}
