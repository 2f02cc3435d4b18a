import FoundationEssentials
import LatchKit
import Testing

@testable import LatchDownloads

private let downloadAccount = UUID()

/// Tests of the decisions of a queue, without a clock, a database or a network.
protocol DrivesDownloads {}

extension DrivesDownloads {
    typealias Machine = Box<DownloadStateMachine>

    static var host: String { "photos.test" }
    static var account: UUID { downloadAccount }
    var start: Date { Date(timeIntervalSince1970: 1_800_000_000) }

    func row(
        _ position: Int, host: String = Self.host, account: UUID = Self.account,
        group: DownloadGroup = .image,
        id: String? = nil, attempts: Int = 0, live: String? = nil
    ) -> QueuedTask {
        let id = id ?? "file-\(position)"
        return QueuedTask(
            position: position,
            task: DownloadTask(
                id: id, account: account, url: "/files/\(id)", filename: "\(id).jpg", group: group,
                metadata: .init(liveID: live)),
            state: .waiting, attempts: attempts, notBefore: .distantPast, partOwner: "", isWhole: false, host: host)
    }

    /// A queue at work that has read these tasks.
    func machine(_ rows: [QueuedTask], _ settings: DownloadSettings = .init()) -> Machine {
        let machine = Box(DownloadStateMachine(settings))
        machine { $0.runBegan() }
        read(rows, machine)
        machine { $0.workBegan() }
        return machine
    }

    func read(_ rows: [QueuedTask], _ machine: Machine) {
        let lanes = Dictionary(grouping: rows, by: \.lane)
        machine { machine in
            machine.commandsRead()
            machine.reset(Array(lanes.keys))
            machine.readingBegan()
            for (lane, rows) in lanes { _ = machine.read(rows, absent: [], of: lane, asked: 64) }
        }
    }

    func at(_ seconds: Double, isBacklogged: Bool = false) -> DownloadStateMachine.Conditions {
        .init(now: start + seconds, isBacklogged: isBacklogged)
    }

    /// Starts what may start, and returns the positions.
    func begin(_ machine: Machine, at seconds: Double = 0) -> [Int] {
        started(machine { $0.startNext(at(seconds)) })
    }

    func settings(_ change: (inout DownloadSettings) -> Void) -> DownloadSettings {
        var settings = DownloadSettings()
        change(&settings)
        return settings
    }

    func started(_ actions: [DownloadStateMachine.Action]) -> [Int] {
        actions.compactMap { if case .start(let row, _) = $0 { row.position } else { nil } }
    }

    func stopped(_ actions: [DownloadStateMachine.Action]) -> Set<Int> {
        Set(actions.compactMap { if case .stop(let position) = $0 { position } else { nil } })
    }

    func text(_ actions: [DownloadStateMachine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .start(let row, let isAbsent): "start \(row.position)\(isAbsent ? " absent" : "")"
            case .stop(let position): "stop \(position)"
            case .placeBatch: "place batch"
            case .placeHalf(let file): "place half \(file.row.position)"
            case .report: "report"
            case .reportPauses: "report pauses"
            case .poll: "poll"
            }
        }
    }

    func end(
        _ row: QueuedTask, _ outcome: FetchOutcome, _ machine: Machine, at seconds: Double = 0,
        _ facts: DownloadStateMachine.AttemptFacts = .init()
    ) -> [DownloadStateMachine.Step] {
        machine { $0.attemptEnded(row, outcome: outcome, facts: facts, now: start + seconds, random: 0.5) }
    }
}

/// Holds a value, so that an expectation can call its mutating methods.
@dynamicMemberLookup
final class Box<Value> {
    private var value: Value

    init(_ value: Value) { self.value = value }

    @discardableResult
    func callAsFunction<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }

    subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { value[keyPath: path] }
}
