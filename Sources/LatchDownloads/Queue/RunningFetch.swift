import HTTPClient
import Synchronization

/// The running fetch of a task.
final class RunningFetch: Sendable {
    private struct State {
        var part: DownloadPart?
        var start = 0
        var work: Task<Void, Never>?
        var wasStopped = false
        var point: ResumePoint?
        var isRecorded = false
        var hasResponse = false
        var version: ResumePoint?

        var pendingRecord: PendingRecord? { point != nil || !isRecorded ? PendingRecord(point: point) : nil }
    }

    let row: QueuedTask
    private let state = Mutex(State())

    init(_ row: QueuedTask) { self.row = row }

    /// The bytes in the part, and the length of the file when known.
    var progress: (received: Int, total: Int?) {
        state.withLock { state in (state.part?.count ?? 0, state.part?.total ?? row.task.metadata.size) }
    }

    /// The number of bytes that this attempt has received.
    var gained: Int { state.withLock { state in (state.part?.count ?? 0) - state.start } }

    func open(_ part: DownloadPart) { state.withLock { ($0.part, $0.start) = (part, part.count) } }

    /// Keeps the resume point that the part is going to have. Returns at once, because the transfer waits.
    func recordStart(_ point: ResumePoint) {
        state.withLock { ($0.point, $0.hasResponse) = (point, true) }
        if row.task.group == .file { state.withLock { $0.version = point } }
    }

    /// The version of the file that the server reported with its content. Only set when a person gave the file's
    /// address.
    var version: ResumePoint? { state.withLock(\.version) }

    /// Records that the server has responded.
    func recordResponse() { state.withLock { $0.hasResponse = true } }

    /// Whether the server has responded, with the file or with any other response.
    var hasResponse: Bool { state.withLock(\.hasResponse) }

    /// A change to record: the task runs, and its part has this resume point, if known.
    struct PendingRecord {
        let point: ResumePoint?
    }

    /// What the database does not have yet: the resume point, and, until it is recorded once, that the task runs. It
    /// remains until ``confirm(_:)`` confirms it, because the write may fail or be cancelled.
    var pendingRecord: PendingRecord? { state.withLock(\.pendingRecord) }

    /// Confirms that the database holds ``pendingRecord``.
    func confirm(_ record: PendingRecord) {
        state.withLock { state in
            state.isRecorded = true
            // A newer point may have come during the write. It must still be recorded.
            if state.point == record.point { state.point = nil }
        }
    }

    /// Returns the last ``pendingRecord`` and clears it, for the end of the task. Nothing can then record that the task
    /// runs after its end was recorded.
    func takePendingRecord() -> PendingRecord? {
        state.withLock { state in
            defer { (state.point, state.isRecorded) = (nil, true) }
            return state.pendingRecord
        }
    }

    func begin(_ work: Task<Void, Never>) {
        let wasStopped = state.withLock { state in
            state.work = work
            return state.wasStopped
        }
        if wasStopped { work.cancel() }
    }

    /// Waits for the end of the fetch.
    func ended() async { await state.withLock { $0.work }?.value }

    /// Stops the transfer. The part keeps what it has received.
    func stop() {
        let work = state.withLock { state in
            state.wasStopped = true
            return state.work
        }
        work?.cancel()
    }
}
