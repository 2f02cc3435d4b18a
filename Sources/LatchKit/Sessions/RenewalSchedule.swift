import FoundationEssentials

/// Decides when the tokens of all accounts are renewed, for a program that runs for a long time.
///
/// It has no clock, and performs no work. The caller performs the action, reports the result, and asks for the next one.
struct RenewalSchedule {
    /// What to do next.
    enum Action: Equatable {
        /// Renew the tokens of these accounts if they are still due.
        case renew([Account.ID])
        /// Wait until the date, or until the clock is set or an account signs in.
        case wait(until: Date)
    }

    /// The longest time without a look at the accounts, in seconds. Another program may have signed in meanwhile.
    static let longestWait: TimeInterval = 3_600
    /// The maximum time, in seconds, by which a renewal is delayed. Accounts that signed in together, and many devices
    /// after an outage of their server, are spread over this time.
    static let spread: TimeInterval = 30
    /// The pause after a first failure, in seconds. It doubles with each further failure, up to ``longestWait``.
    static let firstPause: TimeInterval = 60

    private struct Plan {
        var due: Date
        var start: Date
        var failures = 0
    }

    private var plans: [Account.ID: Plan] = [:]

    /// Returns the next action.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - due: When the token of each account is due, for the accounts whose tokens can be renewed.
    ///   - random: Returns a number from 0 to 1.
    /// - Returns: The renewals that are due now, or otherwise how long nothing is due.
    mutating func next(now: Date, due: [Account.ID: Date], random: () -> Double) -> Action {
        plans = plans.filter { due[$0.key] != nil }
        for (id, date) in due where plans[id]?.due != date {
            // A failure moves the due date too, so the plan of a failed renewal is kept by `failed`.
            let failures = plans[id]?.failures ?? 0
            guard failures == 0 else {
                plans[id]?.due = date
                continue
            }
            plans[id] = Plan(due: date, start: date.addingTimeInterval(random() * Self.spread))
        }
        let ready = plans.filter { $0.value.start <= now }.map(\.key)
        guard ready.isEmpty else { return .renew(ready.sorted { $0.uuidString < $1.uuidString }) }
        let limit = now.addingTimeInterval(Self.longestWait)
        return .wait(until: plans.values.map(\.start).min().map { min($0, limit) } ?? limit)
    }

    /// Records that the token of an account was renewed, or was not due any more.
    mutating func renewed(_ id: Account.ID) {
        plans[id] = nil
    }

    /// Records that the token of an account could not be renewed.
    mutating func failed(_ id: Account.ID, now: Date, random: () -> Double) {
        guard var plan = plans[id] else { return }
        plan.failures += 1
        let pause = min(Self.firstPause * Double(1 << min(plan.failures - 1, 10)), Self.longestWait)
        plan.start = now.addingTimeInterval(pause * (0.5 + random() / 2))
        plans[id] = plan
    }

    /// Records that the clock was set. All accounts are checked again.
    mutating func clockChanged(now: Date) {
        for id in plans.keys { plans[id]?.start = now }
    }
}
