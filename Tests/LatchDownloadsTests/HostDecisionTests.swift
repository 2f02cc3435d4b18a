import FoundationEssentials
import LatchKit
import Testing

@testable import LatchDownloads

/// When tasks of a host that cannot be reached are tried again.
@Suite("Decisions about hosts that cannot be reached")
struct HostDecisionTests: DrivesDownloads {
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
}
