import Dispatch
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#else
    #error("no C library known here")
#endif

/// Locks between programs, one file an account, beside the accounts database: whoever shares the one shares the other.
///
/// A lock dies with its holder, killed or not. Its file stays, empty.
///
/// Source: `flock(2)`.
struct AccountLocks: Sendable {
    /// The folder of the files, there already.
    let folder: String
    /// How long to wait for another program. Whoever holds a lock talks to a server within bounds that add up to less; one
    /// that holds it longer was stopped.
    var patience: Duration = .seconds(90)

    /// Waits for an account's lock, without holding a thread of the shared pool.
    ///
    /// Cancelled, it throws `CancellationError` at once; should the lock come later, it is given back.
    ///
    /// - Throws: ``LatchError/Code/storageLocked`` after ``patience``.
    func lock(_ account: UUID) async throws -> FileLock {
        try await lock(named: account.uuidString.lowercased())
    }

    /// Waits for the lock of that name.
    func lock(named name: String) async throws -> FileLock {
        let file = try FileLock(path: "\(folder)/\(name).lock")
        if try file.tryLock() { return file }
        let waiter = LockWaiter()
        // Its own queue brings its own thread: the wait may be long.
        DispatchQueue(label: "latchstring.lock").async {
            let result = Result { try file.waitForLock() }
            if !waiter.settle(result.map { file }) { file.release() }
        }
        let seconds = Double(patience.components.seconds) + Double(patience.components.attoseconds) * 1e-18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { _ = waiter.settle(.failure(Self.held)) }
        return try await waiter.value()
    }

    private static let held = LatchError(
        .storageLocked,
        "Another program is at this account and does not let go of it: it may have been stopped. "
            + "Let it go on or end it, and try again.")

    /// The account's lock, or nil when somebody holds it.
    func lockIfFree(_ account: UUID) throws -> FileLock? {
        try lockIfFree(named: account.uuidString.lowercased())
    }

    /// The lock of that name, or nil when somebody holds it.
    func lockIfFree(named name: String) throws -> FileLock? {
        let file = try FileLock(path: "\(folder)/\(name).lock")
        return try file.tryLock() ? file : nil
    }
}

/// One open lock file.
package final class FileLock: Sendable {
    private let path: String
    private let descriptor: Mutex<Int32?>

    init(path: String) throws {
        self.path = path
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else { throw Self.failure(path) }
        descriptor = Mutex(opened)
    }

    deinit { release() }

    /// Gives the lock back, also where a program that is just being started has a copy of the descriptor.
    package func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor {
                flock(open, LOCK_UN)
                close(open)
            }
            descriptor = nil
        }
    }

    fileprivate func tryLock() throws -> Bool {
        guard let open = descriptor.withLock({ $0 }) else { return false }
        while flock(open, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw Self.failure(path) }
        }
        return true
    }

    fileprivate func waitForLock() throws {
        guard let open = descriptor.withLock({ $0 }) else { return }
        while flock(open, LOCK_EX) != 0 {
            guard errno == EINTR else { throw Self.failure(path) }
        }
    }

    private static func failure(_ path: String) -> LatchError {
        let reason = errno
        return LatchError(
            .storageFailed,
            "Could not lock '\(path)': system error \(reason). Check that its folder is yours and may be written.")
    }
}

/// One task's wait for a lock; either the lock or the cancellation comes first.
private final class LockWaiter: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<FileLock, any Error>)
        case settled(Result<FileLock, any Error>)
        case cancelled
    }

    private let state = Mutex(State.idle)

    func value() async throws -> FileLock {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known: Result<FileLock, any Error>? = state.withLock { state in
                    switch state {
                    case .settled(let result): return result
                    case .cancelled: return .failure(CancellationError())
                    default:
                        state = .waiting(continuation)
                        return nil
                    }
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            let waiting: CheckedContinuation<FileLock, any Error>? = state.withLock { state in
                switch state {
                case .idle:
                    state = .cancelled
                    return nil
                case .waiting(let continuation):
                    state = .cancelled
                    return continuation
                default: return nil
                }
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    /// Whether somebody still takes the result.
    func settle(_ result: Result<FileLock, any Error>) -> Bool {
        let (isTaken, waiting): (Bool, CheckedContinuation<FileLock, any Error>?) = state.withLock { state in
            switch state {
            case .idle:
                state = .settled(result)
                return (true, nil)
            case .waiting(let continuation):
                state = .settled(result)
                return (true, continuation)
            default: return (false, nil)
            }
        }
        waiting?.resume(with: result)
        return isTaken
    }
}

extension AccountStore {
    /// The lock of the one program that fetches downloads.
    ///
    /// Others hold it for a moment, to look whether somebody fetches or to remove parts: it is tried for, for about a second.
    ///
    /// - Throws: ``LatchError/Code/storageLocked`` when another program fetches already; `CancellationError`.
    package func lockDownloads() async throws -> FileLock {
        for _ in 0..<50 {
            if let lock = try lockDownloadsIfFree() { return lock }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw LatchError(
            .storageLocked, "Another program fetches the downloads already. Watch that one, or end it first.")
    }

    /// The same lock, or nil when somebody holds it.
    package func lockDownloadsIfFree() throws -> FileLock? { try locks.lockIfFree(named: "downloads") }
}
