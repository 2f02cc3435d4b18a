/// The state machine of a race between the addresses of a server. It uses no tasks, clocks or sockets.
///
/// Candidates are numbered by preference, from 0. Each is asked after a head start of the one before, or as soon as
/// all that were asked have failed. The first that passes wins, unless a preferred one that was asked before passes
/// within a short time. Every result carries the number of its race, and results of earlier races are ignored.
///
/// Source: RFC 8305 §5; IM-13, IM-14.
struct EndpointStateMachine {
    /// The state of the selection.
    enum State: Equatable {
        /// No race has begun.
        case idle
        /// Candidates are being asked: how many there are, how many were asked, which of these have not responded, and
        /// the preferred one of those that passed.
        case racing(count: Int, asked: Int, running: Set<Int>, best: Int?)
        /// The race has ended. Nil when no candidate passed.
        case decided(Int?)
    }

    /// What the caller must do.
    enum Action: Equatable {
        /// Ask a candidate, then call ``answered(_:passes:in:)``.
        case ask(Int, race: Int)
        /// Wait for the length of a head start, then call ``headStartEnded(of:in:)`` with this candidate.
        case waitAfter(Int, race: Int)
        /// Wait for preferred candidates, then call ``preferenceEnded(in:)``. This candidate has passed.
        case waitForPreferred(to: Int, race: Int)
        /// End the race with this candidate, or with none. Requests that are still in progress are cancelled.
        case finish(Int?)
    }

    /// The current state.
    private(set) var state = State.idle
    /// The number of the current race.
    private(set) var race = 0

    /// Begins a race, which replaces the one in progress.
    mutating func begin(_ count: Int) -> [Action] {
        race += 1
        state = .racing(count: count, asked: 0, running: [], best: nil)
        return askNext()
    }

    /// Records that the head start of a candidate has ended.
    mutating func headStartEnded(of candidate: Int, in race: Int) -> [Action] {
        // The next one may have been asked already because this one failed.
        guard race == self.race, case .racing(_, candidate + 1, _, nil) = state else { return [] }
        return askNext()
    }

    /// Records the response of a candidate: whether it can be used.
    mutating func answered(_ candidate: Int, passes: Bool, in race: Int) -> [Action] {
        guard race == self.race, case .racing(let count, let asked, var running, let best) = state,
            running.remove(candidate) != nil
        else { return [] }
        let newBest = passes ? min(candidate, best ?? candidate) : best
        state = .racing(count: count, asked: asked, running: running, best: newBest)
        guard let newBest else { return running.isEmpty ? askNext() : [] }
        if running.allSatisfy({ $0 > newBest }) { return finish(newBest) }
        return best == nil ? [.waitForPreferred(to: newBest, race: race)] : []
    }

    /// Records that the time for preferred candidates is over.
    mutating func preferenceEnded(in race: Int) -> [Action] {
        guard race == self.race, case .racing(_, _, _, let best?) = state else { return [] }
        return finish(best)
    }

    private mutating func askNext() -> [Action] {
        guard case .racing(let count, let asked, let running, nil) = state else { return [] }
        guard asked < count else { return running.isEmpty ? finish(nil) : [] }
        state = .racing(count: count, asked: asked + 1, running: running.union([asked]), best: nil)
        let ask = Action.ask(asked, race: race)
        return asked + 1 < count ? [ask, .waitAfter(asked, race: race)] : [ask]
    }

    private mutating func finish(_ winner: Int?) -> [Action] {
        state = .decided(winner)
        return [.finish(winner)]
    }
}
