import FoundationEssentials

/// The reasons that pause more than one task, and when free space is checked again.
struct PauseReasons {
    private(set) var all: Set<PauseReason> = []
    /// The accounts whose waiting tasks are being paused in the database.
    private var accountsInProgress: Set<UUID> = []
    /// How many times a disk was full since the last completed file, and when free space is checked again.
    private var timesFull = 0
    private var nextSpaceCheck = Date.distantPast

    /// Whether no task at all may start.
    var pausesAll: Bool {
        all.contains { reason in
            switch reason {
            case .disk, .outside: true
            case .account: false
            }
        }
    }

    /// Whether the tasks of an account may not start.
    func pauses(_ account: UUID) -> Bool {
        all.contains { reason in
            if case .account(account, _) = reason { true } else { false }
        }
    }

    /// Adds a reason. Returns false when it exists already.
    mutating func insert(_ reason: PauseReason, now: Date, random: @autoclosure () -> Double) -> Bool {
        guard all.insert(reason).inserted else { return false }
        if reason.isDisk {
            // Free space does not reveal a quota. When the disk is full again at once, the next check comes later.
            nextSpaceCheck =
                timesFull > 0
                ? now.addingTimeInterval(BackOff.pause(after: timesFull - 1, random: random())) : .distantPast
            timesFull += 1
        }
        return true
    }

    /// Removes reasons. Returns whether there were any.
    mutating func remove(where isOver: (PauseReason) -> Bool) -> Bool {
        let remaining = all.filter { !isOver($0) }
        defer { all = remaining }
        return remaining.count < all.count
    }

    /// Whether to check now if a disk has free space again.
    func isSpaceCheckDue(_ now: Date) -> Bool { all.contains(where: \.isDisk) && nextSpaceCheck <= now }

    /// Records that a file was put at its destination, so there was free space for it.
    mutating func fileSaved() { timesFull = 0 }

    mutating func accountPauseBegan(_ account: UUID) { accountsInProgress.insert(account) }
    mutating func accountPauseEnded(_ account: UUID) { accountsInProgress.remove(account) }

    /// The accounts that are paused, with their reasons, except those whose tasks are still being paused.
    var pausedAccounts: [(account: UUID, reason: PauseReason)] {
        all.compactMap { reason in
            guard case .account(let account, _) = reason, !accountsInProgress.contains(account) else { return nil }
            return (account, reason)
        }
    }

    /// Returns the reason that pauses most tasks, in the form for people. Nil when there is no reason.
    func waitReason(_ reason: (PauseReason) -> WaitReason) -> WaitReason? {
        all.map { (rank: $0.rank, reason: reason($0)) }
            .min { ($0.rank, $0.reason.sentence) < ($1.rank, $1.reason.sentence) }?.reason
    }
}

extension PauseReason {
    /// The order in which reasons are reported when there are several: the one that pauses most tasks first.
    fileprivate var rank: Int {
        switch self {
        case .outside: 0
        case .disk: 1
        case .account: 2
        }
    }
}
