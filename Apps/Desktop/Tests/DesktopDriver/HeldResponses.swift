import Dispatch
import Synchronization

/// Holds the responses of a ``ScriptedServer`` while a test wants it.
package final class HeldResponses: Sendable {
    private struct State {
        var isHolding = false
        /// The requests that wait.
        var held: [DispatchSemaphore] = []
        /// The tests that wait for a request.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Holds the next responses.
    package func hold() { state.withLock { $0.isHolding = true } }

    /// Sends the responses that are held, and all later ones.
    package func release() {
        let held = state.withLock { state in
            defer { (state.isHolding, state.held) = (false, []) }
            return state.held
        }
        for request in held { request.signal() }
    }

    /// Waits until a response is held.
    package func waitUntilHeld() async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.held.isEmpty { state.waiters.append(continuation) }
                return !state.held.isEmpty
            }
            if isHeld { continuation.resume() }
        }
    }

    /// Blocks the thread of a request while responses are held.
    package func wait() {
        let request = DispatchSemaphore(value: 0)
        let (isHeld, waiters) = state.withLock { state in
            guard state.isHolding else { return (false, [CheckedContinuation<Void, Never>]()) }
            state.held.append(request)
            defer { state.waiters = [] }
            return (true, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        if isHeld { request.wait() }
    }
}
