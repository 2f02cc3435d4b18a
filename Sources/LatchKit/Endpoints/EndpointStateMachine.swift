/// The state machine of a race between the addresses of a server. It uses no tasks, clocks or sockets.
///
/// Candidates are numbered by preference, from 0. Each is asked after a head start of the one before, or as soon as
/// all that were asked have failed. The first that passes wins. Every result carries the number of its race, and results
/// of earlier races are ignored.
///
/// Source: RFC 8305 §5; IM-13, IM-14.
struct EndpointStateMachine {
    /// The state of the selection.
    enum State: Equatable {
        /// No race has begun.
        case idle
        /// Candidates are being asked: how many there are, how many were asked, and how many of these failed.
        case racing(count: Int, asked: Int, failed: Int)
        /// The race has ended. Nil when no candidate passed.
        case decided(Int?)
    }

    /// What the caller must do.
    enum Action: Equatable {
        /// Ask a candidate, then call ``answered(_:passes:in:)``.
        case ask(Int, race: Int)
        /// Wait for the length of a head start, then call ``headStartEnded(of:in:)`` with this candidate.
        case waitAfter(Int, race: Int)
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
        state = .racing(count: count, asked: 0, failed: 0)
        return askNext()
    }

    /// Records that the head start of a candidate has ended.
    mutating func headStartEnded(of candidate: Int, in race: Int) -> [Action] {
        // The next one may have been asked already because this one failed.
        guard race == self.race, case .racing(_, candidate + 1, _) = state else { return [] }
        return askNext()
    }

    /// Records the response of a candidate: whether it can be used.
    mutating func answered(_ candidate: Int, passes: Bool, in race: Int) -> [Action] {
        guard race == self.race, case .racing(let count, let asked, let failed) = state else { return [] }
        if passes { return finish(candidate) }
        state = .racing(count: count, asked: asked, failed: failed + 1)
        return failed + 1 == asked ? askNext() : []
    }

    private mutating func askNext() -> [Action] {
        guard case .racing(let count, let asked, let failed) = state else { return [] }
        guard asked < count else { return failed == count ? finish(nil) : [] }
        state = .racing(count: count, asked: asked + 1, failed: failed)
        let ask = Action.ask(asked, race: race)
        return asked + 1 < count ? [ask, .waitAfter(asked, race: race)] : [ask]
    }

    private mutating func finish(_ winner: Int?) -> [Action] {
        state = .decided(winner)
        return [.finish(winner)]
    }
}
