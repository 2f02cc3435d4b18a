import FoundationEssentials
import Testing

@testable import LatchKit

@Suite("When tokens are renewed")
struct RenewalScheduleTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let ids = (0..<50).map { _ in UUID() }

    @Test("OX-12 a token is renewed when it is due, after at most the spread, and no earlier")
    func due() {
        var schedule = RenewalSchedule()
        let due = [ids[0]: start.addingTimeInterval(600)]
        #expect(schedule.next(now: start, due: due) { 0.5 } == .wait(until: start.addingTimeInterval(615)))
        let later = start.addingTimeInterval(614)
        #expect(schedule.next(now: later, due: due) { 0 } == .wait(until: start.addingTimeInterval(615)))
        #expect(schedule.next(now: start.addingTimeInterval(615), due: due) { 0 } == .renew([ids[0]]))
        schedule.renewed(ids[0])
        let next = [ids[0]: start.addingTimeInterval(1_200)]
        #expect(
            schedule.next(now: start.addingTimeInterval(616), due: next) { 0 }
                == .wait(until: start.addingTimeInterval(1_200)))
    }

    @Test("OX-12 a failed renewal is repeated with growing pauses, also when the account's due date moves")
    func failures() {
        var schedule = RenewalSchedule()
        var now = start
        var pauses: [TimeInterval] = []
        for _ in 0..<10 {
            // The session moves the due date by a minute after each failure.
            let due = [ids[0]: now]
            if case .wait(let date) = schedule.next(now: now, due: due, random: { 1 }) {
                pauses.append(date.timeIntervalSince(now))
                now = date
            }
            #expect(schedule.next(now: now, due: due) { 1 } == .renew([ids[0]]))
            schedule.failed(ids[0], now: now) { 1 }
        }
        #expect(pauses == [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600])
    }

    @Test("OX-12 after the clock is set, every account is looked at again")
    func clockChanged() {
        var schedule = RenewalSchedule()
        let due = [ids[0]: start.addingTimeInterval(900_000)]
        _ = schedule.next(now: start, due: due) { 0 }
        let earlier = start.addingTimeInterval(-86_400)
        schedule.clockChanged(now: earlier)
        #expect(schedule.next(now: earlier, due: due) { 0 } == .renew([ids[0]]))
    }

    @Test("OX-12 a removed account is forgotten")
    func removed() {
        var schedule = RenewalSchedule()
        _ = schedule.next(now: start, due: [ids[0]: start]) { 1 }
        let hour = start.addingTimeInterval(RenewalSchedule.longestWait)
        #expect(schedule.next(now: start, due: [:]) { 1 } == .wait(until: hour))
    }

    @Test("OX-12 in a week with 50 accounts of which none is due, fewer than two wake-ups an hour")
    func idleWeek() {
        var schedule = RenewalSchedule()
        let due = Dictionary(uniqueKeysWithValues: ids.map { ($0, start.addingTimeInterval(30 * 86_400)) })
        var now = start
        var wakeups = 0
        while now < start.addingTimeInterval(7 * 86_400) {
            guard case .wait(let date) = schedule.next(now: now, due: due, random: { .random(in: 0...1) }) else {
                Issue.record("A token was renewed that was not due.")
                return
            }
            wakeups += 1
            now = date
        }
        #expect(wakeups < 2 * 7 * 24)
    }
}
