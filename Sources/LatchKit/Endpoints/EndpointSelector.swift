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
        case preferenceEnded(race: Int)
    }

    /// The head start of the preferred candidate. A longer one would make the first response too late when the preferred
    /// address does not respond; see docs/benchmarks.md.
    ///
    /// Source: RFC 8305 §8 recommends 100 milliseconds or more between attempts to connect, and forbids less than 10.
    static let headStart = Duration.milliseconds(10)
    /// How long a race lasts at most if a preferred candidate has not responded, as a multiple of the time from the
    /// request to the first candidate that can be used until its response. With the other steps of a start, the first
    /// response comes within 1.5 times that time.
    ///
    /// Source: IM-13.
    private static let preferenceFactor = 1.4

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
            let start = ContinuousClock.now
            var asked: [Int: ContinuousClock.Instant] = [:]
            var transports: [Int: Transport] = [:]
            var actions = first
            while true {
                for action in actions {
                    switch action {
                    case .ask(let candidate, let race):
                        asked[candidate] = .now
                        group.addTask { .answered(candidate, await check(candidate), race: race) }
                    case .waitAfter(let candidate, let race):
                        let pause = candidate == 0 ? headStart : headStart / 5
                        group.addTask {
                            (try? await Task.sleep(for: pause)).map { .headStartEnded(candidate, race: race) }
                        }
                    case .waitForPreferred(let candidate, let race):
                        let now = ContinuousClock.now
                        let end = start + (asked[candidate] ?? now).duration(to: now) * Self.preferenceFactor
                        group.addTask {
                            (try? await Task.sleep(until: end)).map { .preferenceEnded(race: race) }
                        }
                    case .finish(let candidate):
                        return candidate.flatMap { number in
                            transports[number].map { Winner(candidate: number, transport: $0) }
                        }
                    }
                }
                guard let event = await group.next(), !Task.isCancelled else { return nil }
                switch event {
                case nil: actions = []
                case .headStartEnded(let candidate, let race)?:
                    actions = machine.headStartEnded(of: candidate, in: race)
                case .answered(let candidate, let transport, let race)?:
                    transports[candidate] = transport
                    actions = machine.answered(candidate, passes: transport != nil, in: race)
                case .preferenceEnded(let race)?: actions = machine.preferenceEnded(in: race)
                }
            }
        }
    }
}
