import FoundationEssentials
import LatchKit
import Testing

@testable import LatchDownloads

/// The decisions of a queue, without a clock, a database or a network.
@Suite
struct DownloadStateMachineTests {
    private static let host = "photos.test"
    private static let account = UUID()
    private typealias Machine = Box<DownloadStateMachine>
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func row(
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
    private func machine(_ rows: [QueuedTask], _ settings: DownloadSettings = .init()) -> Machine {
        let machine = Box(DownloadStateMachine(settings))
        machine { $0.runBegan() }
        read(rows, machine)
        machine { $0.workBegan() }
        return machine
    }

    private func read(_ rows: [QueuedTask], _ machine: Machine) {
        let lanes = Dictionary(grouping: rows, by: \.lane)
        machine { machine in
            machine.commandsRead()
            machine.reset(Array(lanes.keys))
            machine.readingBegan()
            for (lane, rows) in lanes { _ = machine.read(rows, absent: [], of: lane, asked: 64) }
        }
    }

    private func at(_ seconds: Double, isBacklogged: Bool = false) -> DownloadStateMachine.Conditions {
        .init(now: start + seconds, isBacklogged: isBacklogged)
    }

    /// Starts what may start, and returns the positions.
    private func begin(_ machine: Machine, at seconds: Double = 0) -> [Int] {
        started(machine { $0.startNext(at(seconds)) })
    }

    private func settings(_ change: (inout DownloadSettings) -> Void) -> DownloadSettings {
        var settings = DownloadSettings()
        change(&settings)
        return settings
    }

    private func started(_ actions: [DownloadStateMachine.Action]) -> [Int] {
        actions.compactMap { if case .start(let row, _) = $0 { row.position } else { nil } }
    }

    private func stopped(_ actions: [DownloadStateMachine.Action]) -> Set<Int> {
        Set(actions.compactMap { if case .stop(let position) = $0 { position } else { nil } })
    }

    private func text(_ actions: [DownloadStateMachine.Action]) -> [String] {
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

    private func end(
        _ row: QueuedTask, _ outcome: FetchOutcome, _ machine: Machine, at seconds: Double = 0,
        _ facts: DownloadStateMachine.AttemptFacts = .init()
    ) -> [DownloadStateMachine.Step] {
        machine { $0.attemptEnded(row, outcome: outcome, facts: facts, now: start + seconds, random: 0.5) }
    }

    // MARK: - Which task starts

    @Test("DL-10 no more tasks run at once than the limits allow, and the end of a task starts another one")
    func limits() {
        let one = machine((1...10).map { row($0) })
        #expect(begin(one) == [1, 2, 3])
        #expect(started(one { $0.fetchEnded(2, hasResponse: true, at(0)) }) == [4])

        let groups = (1...30).map { row($0, group: DownloadGroup(rawValue: "group_\($0 % 5)")) }
        let host = machine(groups, settings { $0.maximum = 8 })
        #expect(begin(host).count == 6)
        let all = machine(
            groups.map { row($0.position, host: "\($0.position % 3)", group: $0.task.group) })
        #expect(begin(all).count == 6)
    }

    @Test("DL-12 after a command nothing starts until the queue was read again")
    func command() {
        let machine = machine([row(1)])
        machine { $0.commandGiven() }
        #expect(begin(machine).isEmpty)
        machine { $0.commandsRead() }
        #expect(begin(machine) == [1])
    }

    @Test(
        "DL-8 while a listener is behind, while the queue stops, and after a failure of the database, nothing starts"
    )
    func nothingStarts() {
        let unread = machine([])
        unread { $0.reset([row(1).lane]) }
        #expect(unread { $0.laneToRead([], at(0, isBacklogged: true)) } == nil)
        #expect(unread { $0.laneToRead([], at(0)) } != nil)

        let machine = machine([row(1)])
        #expect(machine { $0.startNext(at(0, isBacklogged: true)) }.isEmpty)
        _ = machine { $0.stop() }
        #expect(begin(machine).isEmpty)
        machine { $0.workBegan() }
        machine { $0.databaseFailed(LatchError(.storageFull, "Full.")) }
        #expect(begin(machine).isEmpty)
        machine { $0.databaseRecovered() }
        #expect(begin(machine) == [1])
    }

    @Test(
        "DL-1 two accounts with the same picture do not fetch it at once, and the second one looks for the file first"
    )
    func sameFile() {
        let id = "00000000-0000-4000-8000-000000000001"
        let (first, second) = (row(1, id: id), row(2, account: UUID(), id: id))
        let machine = machine([])
        machine { $0.reset([first.lane]) }
        machine { $0.readingBegan() }
        #expect(machine { $0.read([first, second], absent: [first.task], of: first.lane, asked: 64) })
        #expect(text(machine { $0.startNext(at(0)) }) == ["start 1 absent"])

        #expect(!machine { $0.isTimeDue(start) })
        #expect(text(machine { $0.fetchEnded(1, hasResponse: true, at(5)) }).contains("poll"))
        #expect(machine { $0.isTimeDue(start + 5) }, "the second task is read again")
        machine { $0.reset([second.lane]) }
        machine { $0.readingBegan() }
        #expect(machine { $0.read([second], absent: [second.task], of: second.lane, asked: 64) })
        #expect(text(machine { $0.startNext(at(5)) }) == ["start 2"])
    }

    // MARK: - How attempts end

    @Test(
        "DL-14 a temporary failure is retried three times with longer and longer delays, then reported")
    func retries() {
        let machine = machine([])
        let failure = FetchOutcome.temporaryFailure("Busy.", after: nil)
        for (attempts, delay) in [1.0, 2, 4].enumerated() {
            #expect(
                end(row(1, attempts: attempts), failure, machine)
                    == [.backOff(until: start + delay, reason: "Busy.", attempts: attempts + 1)])
        }
        #expect(
            end(row(1, attempts: 3), failure, machine)
                == [.finish(.failed("Busy. It was tried 4 times."), keepsPart: true)])
        #expect(
            end(row(1, attempts: 3), failure, machine, .init(hasProgressed: true))
                == [.backOff(until: start + 1, reason: "Busy.", attempts: 1)])
        #expect(!machine { $0.isTimeDue(start) } && machine { $0.isTimeDue(start + 1) })
    }

    @Test("DL-14 a delay that the server requests is respected, up to a day")
    func requestedDelay() {
        let machine = machine([])
        for (asked, delay) in [(Duration.seconds(40), 40.0), (.seconds(1_000_000), 86_400)] {
            #expect(
                end(row(1), .temporaryFailure("Busy.", after: asked), machine)
                    == [.backOff(until: start + delay, reason: "Busy.", attempts: 1)])
        }
    }

    @Test(
        "DL-13 wrong content is fetched again from the beginning once, and after a resumption as often as any failure"
    )
    func corrupted() {
        let machine = machine([])
        #expect(
            end(row(1), .corrupted("Wrong."), machine)
                == [.discardPart, .backOff(until: start + 1, reason: "Wrong.", attempts: 1)])
        #expect(
            end(row(1, attempts: 1), .corrupted("Wrong."), machine)
                == [.discardPart, .finish(.failed("Wrong. It was tried 2 times."), keepsPart: true)])
        var resumed = row(1, attempts: 2)
        resumed.resume = .init(count: 1)
        #expect(
            end(resumed, .corrupted("Wrong."), machine)
                == [.discardPart, .backOff(until: start + 4, reason: "Wrong.", attempts: 3)])
    }

    @Test("DL-13 a missing file is skipped, a refused one fails, and neither is retried")
    func permanent() {
        let machine = machine([])
        #expect(
            end(row(1), .missing("Gone."), machine) == [.finish(.skipped("Gone."), keepsPart: false)])
        #expect(
            end(row(1), .failed("Denied."), machine) == [.finish(.failed("Denied."), keepsPart: false)])
        #expect(end(row(1), .stopped, machine) == [.applyCommand])
        #expect(end(row(1), .whole, machine).isEmpty)
    }

    @Test(
        "DL-13 a complete file that cannot be moved fails, unless the disk is full or the queue stops")
    func placementOutcomes() {
        func outcome(_ outcome: FetchOutcome) -> [DownloadStateMachine.Step]? {
            let machine = machine([])
            return DownloadStateMachine.outcome(ofFailedPlacement: outcome).map {
                end(row(1), $0, machine)
            }
        }
        for failure in [
            FetchOutcome.failed("No."), .temporaryFailure("No.", after: .seconds(1)), .corrupted("No."),
            .outage(HostFailure(reason: "No.", isUnreachable: true)),
        ] {
            #expect(outcome(failure) == [.finish(.failed("No."), keepsPart: false)])
        }
        #expect(outcome(.paused(.disk(.files))) == [.returnToWaiting, .pause(.disk(.files))])
        #expect(outcome(.stopped) == nil)
    }

    // MARK: - Pauses

    @Test(
        "DL-13 a full disk stops all transfers, is reported once, and nothing starts until there is room"
    )
    func fullDisk() {
        let machine = machine((1...5).map { row($0) })
        #expect(begin(machine) == [1, 2, 3])
        #expect(
            end(row(2), .paused(.disk(.files)), machine) == [.returnToWaiting, .pause(.disk(.files))])
        let actions = machine { $0.attemptPaused(row(2), .disk(.files), now: start, random: 0.5) }
        #expect(text(actions).first == "report" && stopped(actions) == [1, 3])
        #expect(machine { $0.attemptPaused(row(1), .disk(.files), now: start, random: 0.5) }.isEmpty)
        for position in 1...3 {
            #expect(started(machine { $0.fetchEnded(position, hasResponse: true, at(0)) }).isEmpty)
        }

        #expect(machine.reasons.isSpaceCheckDue(start))
        #expect(text(machine { $0.pausesEnded(where: \.isDisk) }) == ["report pauses"])
        #expect(text(machine { $0.pausesEnded(where: \.isDisk) }).isEmpty)
        #expect(begin(machine) == [4, 5])
    }

    @Test(
        "DL-13 a disk that is full again at once is checked with longer and longer delays, until a file was saved")
    func diskFullAgain() {
        let reasons = Box(PauseReasons())
        for delay in [0.0, 1, 2, 4] {
            #expect(reasons { $0.insert(.disk(.files), now: start, random: 0.5) })
            #expect(
                reasons { $0.isSpaceCheckDue(start + delay) }
                    && (delay == 0 || !reasons { $0.isSpaceCheckDue(start) }))
            #expect(
                reasons { $0.remove(where: \.isDisk) } && !reasons { $0.isSpaceCheckDue(start + delay) })
        }
        reasons { $0.fileSaved() }
        #expect(
            reasons { $0.insert(.disk(.queue), now: start, random: 0.5) }
                && reasons { $0.isSpaceCheckDue(start) })
        #expect(reasons { $0.insert(.outside(WaitReason("No network.")), now: start, random: 0.5) })
        #expect(reasons { $0.waitReason { $0.waitReason(folder: "f", database: "d") } }?.sentence == "No network.")
    }

    @Test("DL-17 without a network all transfers stop, and they start again when it is back")
    func network() {
        let machine = machine((1...2).map { row($0) })
        #expect(begin(machine) == [1, 2])
        let actions = machine { $0.pauseFromOutside(WaitReason("No network.")) }
        #expect(stopped(actions) == [1, 2] && text(actions).suffix(2) == ["report pauses", "poll"])
        for position in 1...2 {
            #expect(started(machine { $0.fetchEnded(position, hasResponse: false, at(0)) }).isEmpty)
        }
        read([row(1), row(2)], machine)
        #expect(begin(machine).isEmpty)
        #expect(text(machine { $0.pauseFromOutside(nil) }) == ["report pauses", "poll"])
        #expect(begin(machine) == [1, 2])
    }

    @Test("DL-13 an ended session pauses the tasks of its account only, and is reported once")
    func account() {
        let other = UUID()
        let machine = machine([row(1), row(2), row(3, account: other, group: .video)])
        let reason = PauseReason.account(Self.account, "Sign in.")
        #expect(
            text(machine { $0.attemptPaused(row(1), reason, now: start, random: 0.5) }) == ["report"])
        let second = PauseReason.account(Self.account, "Sign in again.")
        #expect(machine { $0.attemptPaused(row(2), second, now: start, random: 0.5) }.isEmpty)
        #expect(begin(machine) == [3])

        #expect(machine.reasons.pausedAccounts.isEmpty, "its tasks are still being paused")
        machine { $0.reasons.accountPauseEnded(Self.account) }
        #expect(machine.reasons.pausedAccounts.map(\.account) == [Self.account])
        #expect(text(machine { $0.pausesEnded { $0 == reason } }) == ["report pauses"])
        read([row(1), row(2)], machine)
        #expect(begin(machine) == [1, 2])
    }

    // MARK: - Hosts

    private static let unreachable = FetchOutcome.outage(
        HostFailure(reason: "Unreachable.", isUnreachable: true))

    /// A queue whose host has failed twice in a row. It is paused until one second later, and its tasks for one more.
    private func paused(_ settings: DownloadSettings = .init()) -> Machine {
        let machine = machine((1...4).map { row($0) }, settings)
        #expect(begin(machine) == [1, 2, 3])
        #expect(
            end(row(1), Self.unreachable, machine)
                == [.backOff(until: start + 1, reason: "Unreachable.", attempts: 1)])
        #expect(
            end(row(2), Self.unreachable, machine)
                == [
                    .backOff(until: start + 2, reason: "Unreachable.", attempts: 0), .recordHostPause,
                    .reportPauses,
                ])
        for position in 1...3 {
            #expect(started(machine { $0.fetchEnded(position, hasResponse: false, at(0)) }).isEmpty)
        }
        return machine
    }

    @Test(
        "DL-13 an unreachable host is tried by one task after its pause, and all others follow when it responds"
    )
    func hostReturns() {
        let machine = paused()
        #expect(begin(machine, at: 0.5).isEmpty)
        #expect(begin(machine, at: 1.5) == [4])
        read([row(1), row(2)], machine)
        #expect(begin(machine, at: 3).isEmpty, "one task is tried first")

        let actions = machine { $0.answersRead { $0 == 4 } }
        #expect(
            text(actions) == ["report pauses", "poll"]
                && machine { $0.takeAnsweringHosts() } == [Self.host])
        #expect(machine { $0.takeAnsweringHosts() }.isEmpty && begin(machine, at: 3) == [1, 2])
    }

    @Test("DL-13 a first task that is stopped before its host responds proves nothing, and another one is first")
    func stoppedFirst() {
        let machine = paused()
        #expect(begin(machine, at: 1.5) == [4])
        _ = machine { $0.fetchEnded(4, hasResponse: false, at(1.5)) }
        read([row(1), row(2)], machine)
        #expect(begin(machine, at: 3) == [1])
    }

    @Test(
        "DL-13 a host that stays away pauses for longer, and its tasks fail after the maximum waiting time"
    )
    func hostStaysDown() {
        let machine = paused(settings { $0.maximumOutage = .seconds(3) })
        #expect(begin(machine, at: 1) == [4])
        #expect(
            end(row(4), Self.unreachable, machine, at: 1)
                == [.backOff(until: start + 4, reason: "Unreachable.", attempts: 0), .recordHostPause])
        _ = machine { $0.fetchEnded(4, hasResponse: false, at(1)) }
        read([row(5), row(6)], machine)
        #expect(begin(machine, at: 2.9).isEmpty && begin(machine, at: 3) == [5])
        let steps = end(row(5), Self.unreachable, machine, at: 3)
        guard case .abandonHost(let reason)? = steps.first, steps.count == 1 else {
            Issue.record("The host is not given up.")
            return
        }
        #expect(reason.hasPrefix("Unreachable. Gave up after "))
        _ = machine { $0.fetchEnded(5, hasResponse: false, at(3)) }
        #expect(text(machine { $0.hostGivenUp(Self.host) }) == ["report pauses"])
        #expect(begin(machine, at: 3).isEmpty, "the other tasks have failed too, and are read again")
        read([row(7)], machine)
        #expect(begin(machine, at: 3) == [7])
    }

    @Test(
        "DL-14 an error of a host with one task is retried like any other, because it may concern that task only"
    )
    func singleTaskOfHost() {
        let machine = machine([row(1)])
        let busy = FetchOutcome.outage(HostFailure(reason: "Busy.", isUnreachable: false))
        for attempts in 0..<3 {
            let steps = end(row(1, attempts: attempts), busy, machine, .init(isOnlyTaskOfHost: true))
            #expect(steps.first == .reportPauses && steps.count == 2)
        }
        #expect(
            end(row(1, attempts: 3), busy, machine, .init(isOnlyTaskOfHost: true))
                == [.reportPauses, .finish(.failed("Busy. It was tried 4 times."), keepsPart: true)])

        let again = self.machine([row(1)])
        for failure in [Self.unreachable, busy, Self.unreachable] {
            let steps = end(row(1), failure, again, .init(isOnlyTaskOfHost: true))
            #expect(!steps.contains(.recordHostPause), "the failures of the host are not in a row")
        }
    }

    @Test(
        "DL-14 stored pauses are adopted, and end when a command removes them or the clock is set back")
    func storedPauses() {
        let machine = machine([row(1)])
        let pause = HostPause(host: Self.host, until: start + 60, reason: "Busy.")
        #expect(text(machine { $0.hostPausesRead([pause]) }) == ["report pauses"])
        #expect(machine { $0.hostPausesRead([pause]) }.isEmpty && begin(machine).isEmpty)
        #expect(
            !machine { $0.clockRead(start, last: start + 4) }
                && machine { $0.clockRead(start, last: start + 6) })
        machine { $0.pausesRemoved(start) }
        #expect(machine { $0.isTimeDue(start) } && begin(machine) == [1])
        #expect(
            text(machine { $0.runEnded() }) == ["report pauses"] && machine { $0.runEnded() }.isEmpty)
    }

    // MARK: - Placing

    @Test("DL-2 files that become complete together are put at their destinations together")
    func batches() {
        let machine = machine((1...3).map { row($0) })
        #expect(begin(machine) == [1, 2, 3])
        for position in 1...2 {
            #expect(machine { $0.fileCompleted(ReadyFile(row: row(position))) }.isEmpty)
            #expect(
                !text(machine { $0.fetchEnded(position, hasResponse: true, at(0)) }).contains("place batch"))
        }
        #expect(machine { $0.fileCompleted(ReadyFile(row: row(3))) }.isEmpty)
        #expect(text(machine { $0.fetchEnded(3, hasResponse: true, at(0)) }) == ["place batch", "poll"])
        let (number, files) = machine { $0.nextBatch() }
        #expect(files.map(\.row.position) == [1, 2, 3] && !machine.isIdle)
        #expect(machine { $0.batchFlushed() }.isEmpty)
        for position in 1...3 { _ = machine { $0.placementEnded(position, at(0)) } }
        #expect(machine { $0.batchMoved(number) }.isEmpty && machine.isIdle)
    }

    @Test("DL-2 a file waits for others no longer than an interval, and for the batch before it")
    func interval() {
        let batches = Box(PlacementBatches())
        batches { $0.add(ReadyFile(row: row(1))) }
        #expect(!batches { $0.start(isLast: false) })
        batches { $0.intervalPassed() }
        #expect(batches { $0.start(isLast: false) })
        let first = batches { $0.nextBatch() }
        batches { $0.add(ReadyFile(row: row(2))) }
        #expect(!batches { $0.start(isLast: true) }, "the first batch is being flushed")
        batches { $0.flushed() }
        #expect(!batches { $0.start(isLast: false) } && batches { $0.start(isLast: true) })
        let second = batches { $0.nextBatch() }
        #expect(second.files.map(\.row.position) == [2])
        batches { $0.flushed() }
        batches { $0.add(ReadyFile(row: row(3))) }
        batches { $0.moved(first.number) }
        #expect(!batches { $0.start(isLast: true) }, "the second batch is being moved")
        batches { $0.moved(second.number) }
        #expect(
            batches { $0.start(isLast: true) }
                && batches { $0.nextBatch() }.files.map(\.row.position) == [3])
    }

    @Test("DL-16 when many complete files wait, a batch is full and no further transfer starts")
    func fullBatch() {
        let batches = Box(PlacementBatches())
        for position in 1...127 { batches { $0.add(ReadyFile(row: row(position))) } }
        #expect(!batches.isFull)
        batches { $0.add(ReadyFile(row: row(128))) }
        #expect(batches.isFull && batches { $0.start(isLast: false) })
        #expect(batches { $0.nextBatch() }.files.count == 64 && !batches.isFull)
    }

    @Test("DL-6 a part of a live photo is not put into a batch")
    func livePhoto() {
        let machine = machine([row(1, live: "live")])
        #expect(begin(machine) == [1])
        #expect(
            text(machine { $0.fileCompleted(ReadyFile(row: row(1, live: "live"))) }) == ["place half 1"])
        #expect(
            text(machine { $0.fetchEnded(1, hasResponse: true, at(0)) }) == ["poll"] && !machine.isIdle)
        #expect(text(machine { $0.placementEnded(1, at(0)) }) == ["poll"] && machine.isIdle)
    }

    // MARK: - Accounts

    @Test(
        "DL-17 an account that is removed with unfinished tasks is reported at the end, with their number"
    )
    func removedAccount() {
        let accounts = Box(WaitingAccounts())
        let (removed, ended) = (UUID(), UUID())
        #expect(Set(accounts { $0.update([removed: 3, ended: 1]) }.new) == [removed, ended])
        accounts { $0.add(removed, open: 3, server: "https://a.test") }
        accounts { $0.add(ended, open: 1, server: "https://b.test") }
        #expect(accounts { $0.update([removed: 2, ended: 1]) } == ([], []))
        #expect(Set(accounts { $0.update([:]) }.ended) == [removed, ended] && accounts.error == nil)
        accounts { $0.remove(ended, isRemoved: false) }
        accounts { $0.remove(removed, isRemoved: true) }
        #expect(accounts.error?.code == .signedOut)
        #expect(accounts.error?.message.contains("https://a.test, which had 2 pending files.") ?? false)
    }
}

/// Holds a value, so that an expectation can call its mutating methods.
@dynamicMemberLookup
private final class Box<Value> {
    private var value: Value

    init(_ value: Value) { self.value = value }

    @discardableResult
    func callAsFunction<Result>(_ body: (inout Value) -> Result) -> Result { body(&value) }

    subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { value[keyPath: path] }
}
