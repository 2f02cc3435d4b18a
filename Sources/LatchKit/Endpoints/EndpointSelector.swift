/// Runs the races between the addresses of a server, one at a time.
///
/// Source: RFC 8305 §5; IM-13.
actor EndpointSelector {
    /// The result of a race.
    struct Winner: Sendable {
        /// The number of the candidate.
        let candidate: Int
        /// The transport that its check used.
        let transport: Transport
    }

    private enum Event: Sendable {
        case headStartEnded(Int, race: Int)
        case answered(Int, Transport?, race: Int)
    }

    /// The head start of the preferred candidate. A longer one would make the first response too late when the preferred
    /// address does not respond; see docs/benchmarks.md.
    ///
    /// Source: RFC 8305 §8, which allows no less.
    static let headStart = Duration.milliseconds(10)

    private let headStart: Duration
    private var machine = EndpointStateMachine()
    private var running: Task<Winner?, Never>?

    /// Creates a selector.
    ///
    /// - Parameter headStart: The head start of the preferred candidate. Each other one has a fifth of it.
    init(headStart: Duration = headStart) {
        self.headStart = headStart
    }

    /// Starts a race and waits for its result. A race in progress is cancelled, and its callers wait for this one.
    ///
    /// - Parameters:
    ///   - count: The number of candidates.
    ///   - check: Asks a candidate. Returns its transport if it can be used, otherwise nil.
    /// - Returns: The first candidate that can be used. Nil when none can.
    func select(_ count: Int, check: @escaping @Sendable (Int) async -> Transport?) async -> Winner? {
        running?.cancel()
        let first = machine.begin(count)
        running = Task { await run(first, check) }
        return await result()
    }

    /// Waits for the result of the race in progress. Nil when there is none.
    func result() async -> Winner? {
        while let task = running {
            let winner = await task.value
            if task == running { return winner }
        }
        return nil
    }

    /// Cancels the race in progress.
    func cancel() {
        running?.cancel()
        running = nil
    }

    private func run(
        _ first: [EndpointStateMachine.Action], _ check: @escaping @Sendable (Int) async -> Transport?
    ) async -> Winner? {
        await withTaskGroup(of: Event?.self) { group in
            defer { group.cancelAll() }
            var actions = first
            while true {
                for action in actions {
                    switch action {
                    case .ask(let candidate, let race):
                        group.addTask { .answered(candidate, await check(candidate), race: race) }
                    case .waitAfter(let candidate, let race):
                        let pause = candidate == 0 ? headStart : headStart / 5
                        group.addTask {
                            (try? await Task.sleep(for: pause)).map { .headStartEnded(candidate, race: race) }
                        }
                    case .finish(nil): return nil
                    case .finish: break
                    }
                }
                guard let event = await group.next(), !Task.isCancelled else { return nil }
                switch event {
                case nil: actions = []
                case .headStartEnded(let candidate, let race)?:
                    actions = machine.headStartEnded(of: candidate, in: race)
                case .answered(let candidate, let transport, let race)?:
                    actions = machine.answered(candidate, passes: transport != nil, in: race)
                    guard actions == [.finish(candidate)], let transport else { continue }
                    return Winner(candidate: candidate, transport: transport)
                }
            }
        }
    }
}
