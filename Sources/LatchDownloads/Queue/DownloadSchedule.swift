/// Chooses which task comes next: within the limits, and each lane in its turn.
///
/// Source: DL-10.
struct DownloadSchedule {
    private struct Queue {
        var tasks: [QueuedTask] = []
        var last = 0
        var isRead = false
    }

    private let settings: DownloadSettings
    private var lanes: [Lane] = []
    private var queues: [Lane: Queue] = [:]
    private var turn = 0
    private var perHost: [String: Int] = [:]
    private var perGroup: [DownloadGroup: Int] = [:]
    private var count = 0

    init(_ settings: DownloadSettings) { self.settings = settings }

    /// Whether one more may run at all.
    var hasRoom: Bool { count < settings.maximum }

    /// Begins anew with the lanes in which something waits.
    mutating func reset(_ lanes: [Lane]) {
        self.lanes = lanes.sorted { ($0.group.rawValue, $0.host) < ($1.group.rawValue, $1.host) }
        queues = [:]
    }

    /// The lane whose next tasks must be read before anything can be chosen from it.
    func laneToRead() -> (lane: Lane, after: Int)? {
        for step in lanes.indices {
            let lane = lanes[(turn + step) % lanes.count]
            let queue = queues[lane] ?? Queue()
            if queue.tasks.isEmpty, !queue.isRead, hasRoom(in: lane) { return (lane, queue.last) }
        }
        return nil
    }

    /// Takes what was read; nothing more comes behind fewer than were asked for.
    mutating func take(_ tasks: [QueuedTask], of lane: Lane, asked: Int) {
        var queue = queues[lane] ?? Queue()
        queue.tasks = tasks.reversed()
        queue.last = tasks.last?.position ?? queue.last
        queue.isRead = tasks.count < asked
        queues[lane] = queue
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

    /// Notes that a task of a lane has ended.
    mutating func ended(_ lane: Lane) {
        count -= 1
        perHost[lane.host, default: 1] -= 1
        perGroup[lane.group, default: 1] -= 1
    }

    private mutating func began(_ lane: Lane) {
        count += 1
        perHost[lane.host, default: 0] += 1
        perGroup[lane.group, default: 0] += 1
    }

    private func hasRoom(in lane: Lane) -> Bool {
        perHost[lane.host, default: 0] < settings.maximumPerHost
            && perGroup[lane.group, default: 0] < settings.maximumPerGroup
    }
}

extension QueuedTask {
    var lane: Lane { Lane(host: host, group: task.group) }
}
