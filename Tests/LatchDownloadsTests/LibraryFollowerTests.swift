import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

@Suite(.timeLimit(.minutes(1))) struct LibraryFollowerTests {
    @Test("IM-6 A burst of events makes one search, and a new connection makes one")
    func burst() async throws {
        let (settled, gate) = AsyncStream<Void>.makeStream()
        let (searched, search) = AsyncStream<Void>.makeStream()
        let calls = Mutex(0)
        let updates = AsyncThrowingStream<RealTimeUpdate, any Error> {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard call > 100 else { return call == 1 ? .connected : .event(.assetAdded(id: "\(call)")) }
            // All events were read: the pause ends, and the updates end after the search.
            gate.finish()
            for await _ in searched {}
            return nil
        }
        var searches = 0

        try await LibraryFollower(settle: { for await _ in settled {} }).run(updates) {
            searches += 1
            search.finish()
        }

        #expect(searches == 1)
    }

    @Test("IM-6 Other events make no search, and an error of the updates ends following")
    func others() async throws {
        let (updates, continuation) = AsyncThrowingStream<RealTimeUpdate, any Error>.makeStream()
        for event in [RealTimeEvent.configUpdated, .assetsDeleted(ids: ["a"]), .serverVersion("3.1.0")] {
            continuation.yield(.event(event))
        }
        continuation.yield(.disconnected("The server closed the connection."))
        continuation.finish(throwing: LatchError(.sessionEnded, "ended"))
        var searches = 0

        let error = await #expect(throws: LatchError.self) {
            try await LibraryFollower(settle: {}).run(updates) { searches += 1 }
        }

        #expect(error?.code == .sessionEnded && searches == 0)
    }

    @Test("IM-6 OX-14 A search that the server does not answer is repeated, and another error ends following")
    func failures() async throws {
        let (updates, continuation) = AsyncThrowingStream<RealTimeUpdate, any Error>.makeStream()
        continuation.yield(.connected)
        var (searches, failures) = (0, [LatchError.Code]())
        let pauses = Mutex(0)

        let error = await #expect(throws: LatchError.self) {
            try await LibraryFollower(settle: {}, retryPause: { failures in pauses.withLock { $0 += failures } }).run(
                updates
            ) {
                failures.append($0.code)
            } search: {
                searches += 1
                throw LatchError(searches < 3 ? .serverError : .storageFull, "failed")
            }
        }

        #expect(error?.code == .storageFull && failures == [.serverError, .serverError])
        #expect(searches == 3 && pauses.withLock { $0 } == 1 + 2)
    }
}
