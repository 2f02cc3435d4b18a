import HTTPClient
import Synchronization

/// A task that is being fetched, as the queue holds it.
final class RunningFetch: Sendable {
    private struct State {
        var part: DownloadPart?
        var start = 0
        var work: Task<Void, Never>?
        var wasStopped = false
        var point: ResumePoint?
        var isNoted = false
        var hasAnswer = false
        var version: ResumePoint?

        var news: News? { point != nil || !isNoted ? News(point: point) : nil }
    }

    let row: QueuedTask
    private let state = Mutex(State())

    init(_ row: QueuedTask) { self.row = row }

    /// How far it has come.
    var progress: (received: Int, total: Int?) {
        state.withLock { state in (state.part?.count ?? 0, state.part?.total ?? row.task.metadata.size) }
    }

    /// How much of the part this try has brought.
    var gained: Int { state.withLock { state in (state.part?.count ?? 0) - state.start } }

    func open(_ part: DownloadPart) { state.withLock { ($0.part, $0.start) = (part, part.count) } }

    /// Keeps what the part is going to hold; at once, for the transfer waits.
    func begun(_ point: ResumePoint) {
        state.withLock { ($0.point, $0.hasAnswer) = (point, true) }
        if row.task.group == .file { state.withLock { $0.version = point } }
    }

    /// What the server said of the file that it gives, where a person gave its address.
    var version: ResumePoint? { state.withLock(\.version) }

    /// Says that the server has answered.
    func answered() { state.withLock { $0.hasAnswer = true } }

    /// Whether the server has answered, the file or anything else.
    var hasAnswer: Bool { state.withLock(\.hasAnswer) }

    /// That the task runs, and what its part holds where that is known.
    struct News {
        let point: ResumePoint?
    }

    /// What the queue's file does not say yet of the part, and until it was noted once, also without that, that the
    /// task runs. It stays until ``noted(_:)`` confirms it: the write may fail or be cancelled.
    var news: News? { state.withLock(\.news) }

    /// Says that the queue's file holds what ``news`` told.
    func noted(_ news: News) {
        state.withLock { state in
            state.isNoted = true
            if state.point == news.point { state.point = nil }
        }
    }

    /// The last ``news``, for the end of the task: there are none afterwards, so that nobody notes that it runs after its
    /// end was noted.
    func takeNews() -> News? {
        state.withLock { state in
            defer { (state.point, state.isNoted) = (nil, true) }
            return state.news
        }
    }

    func begin(_ work: Task<Void, Never>) {
        let wasStopped = state.withLock { state in
            state.work = work
            return state.wasStopped
        }
        if wasStopped { work.cancel() }
    }

    /// Waits for the end.
    func ended() async { await state.withLock { $0.work }?.value }

    /// Ends the transfer; the part keeps what it has.
    func stop() {
        let work = state.withLock { state in
            state.wasStopped = true
            return state.work
        }
        work?.cancel()
    }
}
