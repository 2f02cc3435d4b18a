import Foundation
import Synchronization
import Testing

/// Lets a few tests run at a time, the others wait for their turn.
///
/// Each of these tests starts programs. All of them at once make every step of each so slow on a machine with two cores
/// that limits of the programs themselves, which mean something, are passed.
struct ConcurrencyLimit: SuiteTrait, TestTrait, TestScoping {
    private static let shared = Slots(max(6, ProcessInfo.processInfo.activeProcessorCount))

    let isRecursive = true

    /// A turn is for a whole test with all its arguments: so the wait is before a test's time limit begins.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> ConcurrencyLimit? {
        test.isSuite || testCase != nil ? nil : self
    }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.shared.acquire()
        defer { Self.shared.release() }
        try await function()
    }
}

extension Trait where Self == ConcurrencyLimit {
    /// The tests of this suite are among those of which a few run at a time.
    static var inTurn: ConcurrencyLimit { ConcurrencyLimit() }
}

/// So many slots, given in the order of asking.
private final class Slots: Sendable {
    private let state: Mutex<(free: Int, waiters: [CheckedContinuation<Void, Never>])>

    init(_ count: Int) {
        state = Mutex((count, []))
    }

    func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiters.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func release() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
