import Crypto
import SecretStorage
import Synchronization

@testable import LatchKit

/// A secret store of which one read, once asked to, waits with its answer until it is let go.
final class GatedStore: SecretStoring {
    private enum State {
        case open
        case armed(AsyncStream<Void>.Continuation)
        case waiting(CheckedContinuation<Void, Never>)
        case passed
    }

    private let inner: any SecretStoring
    private let state = Mutex(State.open)
    var label: String { "gated" }

    init(_ inner: any SecretStoring) { self.inner = inner }

    /// Holds the next read back; the stream tells that it has its answer and waits.
    func arm() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0 = .armed(continuation) }
        return stream
    }

    /// Lets that read go.
    func release() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .passed }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        let secret = try await inner.read(key)
        await withCheckedContinuation { continuation in
            let entered = state.withLock { state -> AsyncStream<Void>.Continuation? in
                guard case .armed(let entered) = state else { return nil }
                state = .waiting(continuation)
                return entered
            }
            if let entered { entered.yield() } else { continuation.resume() }
        }
        return secret
    }
    func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        try await inner.write(secret, for: key)
    }
    func remove(_ key: SecretKey) async throws(SecretStorageError) { try await inner.remove(key) }
}
