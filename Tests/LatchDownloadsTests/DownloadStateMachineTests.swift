import FoundationEssentials
import LatchKit
import Testing

@testable import LatchDownloads

/// Which task starts, how attempts end, and what pauses all of them.
@Suite("Which downloads start, and how they end")
struct DownloadStateMachineTests: DrivesDownloads {
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
