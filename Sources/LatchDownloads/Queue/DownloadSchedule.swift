/// Chooses the next task within the limits, and gives each lane its turn.
///
/// Source: DL-10.
struct DownloadSchedule {
    private struct Queue {
        var tasks: [QueuedTask] = []
        var last = 0
        var isRead = false
    }

    /// The hosts at which no transfer may start now.
    var closedHosts: Set<String> = []

    private let settings: DownloadSettings
    private var lanes: [Lane] = []
    private var queues: [Lane: Queue] = [:]
    private var turn = 0
    private var perHost: [String: Int] = [:]
    private var perGroup: [DownloadGroup: Int] = [:]
    private var count = 0
    /// The positions of tasks that ended since the last read began. The read may still have seen them as waiting.
    private var ended: Set<Int> = []

    init(_ settings: DownloadSettings) { self.settings = settings }

    /// Whether the overall limit allows another transfer.
    var hasFreeSlot: Bool { count < settings.maximum }

    /// Starts again with the lanes in which tasks wait.
    mutating func reset(_ lanes: [Lane]) {
        self.lanes = lanes.sorted { ($0.group.rawValue, $0.host) < ($1.group.rawValue, $1.host) }
        queues = [:]
    }

    /// The number of a lane's tasks in memory below which the next ones are read, so that no transfer waits for a read.
    private static let fewTasks = 32

    /// Returns a lane whose next tasks should be read, and the position after which to read. Lanes in `wasRead` are
    /// skipped.
    func laneToRead(_ wasRead: Set<Lane> = []) -> (lane: Lane, after: Int)? {
        for step in lanes.indices {
            let lane = lanes[(turn + step) % lanes.count]
            let queue = queues[lane] ?? Queue()
            if queue.tasks.count < Self.fewTasks, !queue.isRead, !wasRead.contains(lane) { return (lane, queue.last) }
        }
        return nil
    }

    /// Prepares for reading tasks, which are then passed to ``add(_:of:asked:isFree:)``.
    mutating func beginReading() { ended = [] }

    /// Adds the tasks that were read, except those that are already being fetched. Fewer tasks than `asked` mean that
    /// the lane has no more.
    ///
    /// - Returns: The number of tasks added.
    mutating func add(_ tasks: [QueuedTask], of lane: Lane, asked: Int, isFree: (QueuedTask) -> Bool) -> Int {
        var queue = queues[lane] ?? Queue()
        // Reversed, so that popLast returns the oldest.
        let free = tasks.reversed().filter { !ended.contains($0.position) && isFree($0) }
        queue.tasks = free + queue.tasks
        queue.last = tasks.last?.position ?? queue.last
        queue.isRead = tasks.count < asked
        queues[lane] = queue
        return free.count
    }

    /// Returns the next task within the limits, from the lane whose turn it is. Nil when no task may run now.
    mutating func next(_ isAllowed: (QueuedTask) -> Bool) -> QueuedTask? {
        guard hasFreeSlot, !lanes.isEmpty else { return nil }
        for step in lanes.indices {
            let index = (turn + step) % lanes.count
            let lane = lanes[index]
            guard hasFreeSlot(in: lane) else { continue }
            while let task = queues[lane]?.tasks.popLast() {
                // Dropped from memory: its account is paused, and the command that resumes it has the lanes read again.
                guard isAllowed(task) else { continue }
                turn = (index + 1) % lanes.count
                recordStart(lane)
                return task
            }
        }
        return nil
    }

    /// Records that a task is no longer being fetched.
    mutating func fetchEnded(_ task: QueuedTask) {
        let lane = task.lane
        taskEnded(task)
        count -= 1
        perHost[lane.host, default: 1] -= 1
        perGroup[lane.group, default: 1] -= 1
    }

    /// Records that a fetched task has ended or waits again.
    mutating func taskEnded(_ task: QueuedTask) { ended.insert(task.position) }

    private mutating func recordStart(_ lane: Lane) {
        count += 1
        perHost[lane.host, default: 0] += 1
        perGroup[lane.group, default: 0] += 1
    }

    private func hasFreeSlot(in lane: Lane) -> Bool {
        !closedHosts.contains(lane.host)
            && perHost[lane.host, default: 0] < settings.maximumPerHost
            && perGroup[lane.group, default: 0] < settings.maximumPerGroup
    }
}

extension QueuedTask {
    var lane: Lane { Lane(host: host, group: task.group) }
}
