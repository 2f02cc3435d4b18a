/// Chooses which task comes next: within the limits, and each lane in its turn.
///
/// Source: DL-10.
struct DownloadSchedule {
    private struct Queue {
        var tasks: [QueuedTask] = []
        var last = 0
        var isRead = false
    }

    /// The hosts at which nothing may begin now.
    var closedHosts: Set<String> = []

    private let settings: DownloadSettings
    private var lanes: [Lane] = []
    private var queues: [Lane: Queue] = [:]
    private var turn = 0
    private var perHost: [String: Int] = [:]
    private var perGroup: [DownloadGroup: Int] = [:]
    private var count = 0
    /// The tasks that have come to an end since the last reading began: it may have seen them wait still.
    private var left: Set<Int> = []

    init(_ settings: DownloadSettings) { self.settings = settings }

    /// Whether one more may run at all.
    var hasRoom: Bool { count < settings.maximum }

    /// Begins anew with the lanes in which something waits.
    mutating func reset(_ lanes: [Lane]) {
        self.lanes = lanes.sorted { ($0.group.rawValue, $0.host) < ($1.group.rawValue, $1.host) }
        queues = [:]
    }

    /// With fewer of a lane's tasks at hand the next ones are read, so that nobody waits for them.
    private static let fewTasks = 32

    /// A lane whose next tasks are to be read, but for those that have been.
    func laneToRead(_ wasRead: Set<Lane> = []) -> (lane: Lane, after: Int)? {
        for step in lanes.indices {
            let lane = lanes[(turn + step) % lanes.count]
            let queue = queues[lane] ?? Queue()
            if queue.tasks.count < Self.fewTasks, !queue.isRead, !wasRead.contains(lane) { return (lane, queue.last) }
        }
        return nil
    }

    /// Says that tasks are going to be read, to be taken with ``take(_:of:asked:isFree:)``.
    mutating func beginReading() { left = [] }

    /// Takes what was read and is not on its way already; nothing more comes behind fewer than were asked for.
    ///
    /// - Returns: How many there are.
    mutating func take(_ tasks: [QueuedTask], of lane: Lane, asked: Int, isFree: (QueuedTask) -> Bool) -> Int {
        var queue = queues[lane] ?? Queue()
        let free = tasks.reversed().filter { !left.contains($0.position) && isFree($0) }
        queue.tasks = free + queue.tasks
        queue.last = tasks.last?.position ?? queue.last
        queue.isRead = tasks.count < asked
        queues[lane] = queue
        return free.count
    }

    /// The next task within the limits, whose turn it is; nil when none may run now.
    mutating func next(_ isAllowed: (QueuedTask) -> Bool) -> QueuedTask? {
        guard hasRoom, !lanes.isEmpty else { return nil }
        for step in lanes.indices {
            let index = (turn + step) % lanes.count
            let lane = lanes[index]
            guard hasRoom(in: lane) else { continue }
            while let task = queues[lane]?.tasks.popLast() {
                guard isAllowed(task) else { continue }
                turn = (index + 1) % lanes.count
                began(lane)
                return task
            }
        }
        return nil
    }

    /// Notes that a task is not fetched any more.
    mutating func ended(_ task: QueuedTask) {
        let lane = task.lane
        left(task)
        count -= 1
        perHost[lane.host, default: 1] -= 1
        perGroup[lane.group, default: 1] -= 1
    }

    /// Notes that a task that was fetched is over, or waits again.
    mutating func left(_ task: QueuedTask) { left.insert(task.position) }

    private mutating func began(_ lane: Lane) {
        count += 1
        perHost[lane.host, default: 0] += 1
        perGroup[lane.group, default: 0] += 1
    }

    private func hasRoom(in lane: Lane) -> Bool {
        !closedHosts.contains(lane.host)
            && perHost[lane.host, default: 0] < settings.maximumPerHost
            && perGroup[lane.group, default: 0] < settings.maximumPerGroup
    }
}

extension QueuedTask {
    var lane: Lane { Lane(host: host, group: task.group) }
}
