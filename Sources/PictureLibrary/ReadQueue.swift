import GatewayCore
import Synchronization

/// Runs the reads of each person one after another, so that one person occupies at most one connection for long reads.
final class ReadQueue: Sendable {
    /// The maximum number of reads of one person that wait. More than the connections that a browser opens to a server.
    static let maximumWaiting = 16

    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// The reads that wait, by person. A person whose read runs has an entry.
        var waiting: [String: [Waiter]] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// The number of reads of a person that wait.
    func waitingCount(of person: String) -> Int { state.withLock { $0.waiting[person]?.count ?? 0 } }

    /// Runs `read` after the person's earlier reads. A read that is cancelled while it waits leaves the queue at once.
    ///
    /// - Parameters:
    ///   - person: The person's id.
    ///   - mayRefuse: Whether the read is refused when ``maximumWaiting`` reads wait. False for the rest of a response
    ///     that has begun; the number of such responses must have its own maximum.
    ///   - read: The read.
    /// - Returns: The value of `read`.
    /// - Throws: The error of `read`; `CancellationError`; ``GatewayError/Code/busy`` when too many reads of the person
    ///   are waiting.
    func run<Value: Sendable>(
        of person: String, mayRefuse: Bool = true, _ read: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await enter(person, mayRefuse: mayRefuse)
        defer { leave(person) }
        return try await read()
    }

    private func enter(_ person: String, mayRefuse: Bool) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    // Inside the lock, because a cancellation before this line finds no waiter to remove.
                    guard !Task.isCancelled else { return .failure(CancellationError()) }
                    guard let others = state.waiting[person] else {
                        state.waiting[person] = []
                        return .success(())
                    }
                    guard !mayRefuse || others.count < Self.maximumWaiting else { return .failure(Self.busy) }
                    state.waiting[person]?.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiting[person]?.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiting[person]?.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Lets the next read of the person start. It takes over the entry, so that no other read starts in between.
    private func leave(_ person: String) {
        let next = state.withLock { state -> Waiter? in
            guard state.waiting[person]?.isEmpty == false else {
                state.waiting[person] = nil
                return nil
            }
            return state.waiting[person]?.removeFirst()
        }
        next?.continuation.resume()
    }

    private static let busy = GatewayError(
        .busy, "Too many requests for your pictures are waiting; try again in a moment.")
}
