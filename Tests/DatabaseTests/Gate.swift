import Database
import Dispatch
import Synchronization

/// A body that holds the writer's thread until it is opened, so that other writes gather behind it.
final class Gate: Sendable {
    private let latch = DispatchSemaphore(value: 0)
    private let entered: AsyncStream<Void>
    private let entering: AsyncStream<Void>.Continuation

    init() {
        (entered, entering) = AsyncStream.makeStream()
    }

    /// Begins a write that stands in the gate, and returns once it stands there.
    func hold(_ database: Database) async -> Task<Void, any Error> {
        let task = Task { try await database.write { _ in self.pass() } }
        await waitUntilEntered()
        return task
    }

    func waitUntilEntered() async {
        for await _ in entered { break }
    }

    func open() {
        latch.signal()
    }

    func pass() {
        entering.yield()
        latch.wait()
    }
}

/// Whether something has happened yet.
final class Flag: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .sequentiallyConsistent) }

    func raise() {
        state.store(true, ordering: .sequentiallyConsistent)
    }
}

extension Database {
    /// Begins a write and returns once it waits in the queue; a cancelled test can not overtake it.
    func queue<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) -> Task<Value, any Error> {
        Task.immediate { try await self.write(body) }
    }
}

/// The database error that a task ends with, or nil when it ends otherwise.
func failure(_ task: Task<some Sendable, any Error>) async -> DatabaseError? {
    if case .failure(let error) = await task.result { error as? DatabaseError } else { nil }
}
