import FoundationEssentials
import Primitives

/// What happens to a task after an attempt that brought no file.
extension DownloadStateMachine {
    /// What the queue must record and do about such a task. The steps are done in their order, and each is recorded in
    /// the database before the next one begins.
    enum Step: Equatable {
        /// End the task. `keepsPart` says whether the received bytes are kept, so that a retry can resume.
        case finish(DownloadState, keepsPart: Bool)
        /// Remove the part, because its bytes are wrong.
        case discardPart
        /// Let the task wait until a time.
        case backOff(until: Date, reason: String, attempts: Int)
        /// Let the task wait for its turn.
        case returnToWaiting
        /// Pause other tasks for the same reason, with ``attemptPaused(_:_:now:random:)``.
        case pause(PauseReason)
        /// Store the pause of the task's host, if it still has one.
        case recordHostPause
        /// Report the reason that pauses tasks, or that there is none.
        case reportPauses
        /// Fail all tasks of the task's host. What they have received is kept.
        case abandonHost(reason: String)
        /// Do what the command says that stopped the transfer.
        case applyCommand
    }

    /// Facts about an attempt that only the database knows.
    struct AttemptFacts {
        /// Whether the attempt received enough bytes not to count, and the next one can resume from them. A large file
        /// may take any number of attempts.
        var hasProgressed = false
        /// Whether its host has no other unfinished tasks.
        var isOnlyTaskOfHost = false
    }

    /// The number of bytes from which on an attempt does not count.
    static let progress = 64 << 10
    /// How often a file with wrong content is fetched again from the beginning.
    private static let corruptedRetries = 1

    /// Decides what happens to a task after an attempt. `random`, from 0 to 1, varies a delay.
    mutating func attemptEnded(
        _ row: QueuedTask, outcome: FetchOutcome, facts: AttemptFacts, now: Date,
        random: @autoclosure () -> Double
    ) -> [Step] {
        var row = row
        switch outcome {
        case .whole: return []
        case .missing(let reason): return [.finish(.skipped(reason), keepsPart: false)]
        case .failed(let reason): return [.finish(.failed(reason), keepsPart: false)]
        case .temporaryFailure(let reason, let wait):
            if facts.hasProgressed { row.attempts = 0 }
            return retry(row, because: reason, after: wait, limit: settings.retries, now: now, random: random)
        case .intercepted(let reason):
            return retry(row, because: reason, limit: Self.corruptedRetries, now: now, random: random)
        case .corrupted(let reason):
            // A resumed part may combine bytes of two versions. It gets the usual number of retries, because no attempt
            // has fetched the whole file.
            let limit = row.resume == nil ? Self.corruptedRetries : settings.retries
            return [.discardPart] + retry(row, because: reason, limit: limit, now: now, random: random)
        case .outage(let failure): return hostFailed(row, failure: failure, facts: facts, now: now, random: random)
        case .paused(let reason): return [.returnToWaiting, .pause(reason)]
        case .stopped: return [.applyCommand]
        }
    }

    private mutating func retry(
        _ row: QueuedTask, because reason: String, after wait: Duration? = nil, limit: Int, now: Date,
        random: () -> Double
    ) -> [Step] {
        guard row.attempts < limit else {
            return [.finish(.failed("\(reason) It was tried \(row.attempts + 1) times."), keepsPart: true)]
        }
        let pause = BackOff.pause(after: row.attempts, random: random())
        let asked = wait.map { min($0, BackOff.longestAskedFor).seconds } ?? 0
        return backOff(until: now.addingTimeInterval(max(pause, asked)), because: reason, attempts: row.attempts + 1)
    }

    private mutating func backOff(until time: Date, because reason: String, attempts: Int) -> [Step] {
        waits(until: time)
        return [.backOff(until: time, reason: reason, attempts: attempts)]
    }

    /// Decides what happens to a task whose host did not respond, or refuses all requests.
    private mutating func hostFailed(
        _ row: QueuedTask, failure: HostFailure, facts: AttemptFacts, now: Date, random: () -> Double
    ) -> [Step] {
        if !failure.isUnreachable, failure.pause == nil, facts.isOnlyTaskOfHost {
            // The host responds, so the failure may concern this task only.
            outages.end(row.host)
            return [.reportPauses]
                + retry(row, because: failure.reason, limit: settings.retries, now: now, random: random)
        }
        let maximum =
            failure.isUnreachable
            ? settings.maximumOutage : settings.maximumOutage ?? DownloadSettings.defaultMaximumOutage
        switch outages.failed(row, failure, now: now, maximum: maximum, random: random()) {
        case .once:
            return retry(
                row, because: failure.reason, after: failure.pause, limit: settings.retries, now: now, random: random)
        case .waits(let until, let isNew):
            // One second later than the host's pause, so that another task, if there is one, is tried first.
            return backOff(until: until.addingTimeInterval(1), because: failure.reason, attempts: row.attempts)
                + [.recordHostPause] + (isNew ? [.reportPauses] : [])
        case .isOver(let waited):
            return [
                .abandonHost(
                    reason: "\(failure.reason) Gave up after \(Int((waited / 60).rounded())) minutes. Retry when the "
                        + "server is back.")
            ]
        }
    }
}
