import CLibrary
import Dispatch
import FoundationEssentials
import Synchronization

/// Locks between programs, one file per account, in a folder next to the accounts database. Programs that share the
/// database also share the locks.
///
/// A lock is released when its process ends, even if it is killed. The lock file is not removed and stays empty.
///
/// Source: `flock(2)`.
struct AccountLocks: Sendable {
    /// The folder of the lock files. It must exist.
    let folder: String
    /// How long to wait for another program. The server timeouts of a program that holds a lock add up to less, so a
    /// program that holds it longer has been suspended.
    var timeout: Duration = .seconds(90)

    /// Waits for an account's lock without blocking a thread of the shared pool.
    ///
    /// When the task is cancelled, the method throws `CancellationError` at once. A lock that is acquired later is
    /// released.
    ///
    /// - Throws: ``LatchError/Code/storageLocked`` after ``timeout``.
    func lock(_ account: UUID) async throws -> FileLock {
        try await lock(named: account.uuidString.lowercased())
    }

    /// Waits for the lock with a name; see ``lock(_:)``.
    func lock(named name: String) async throws -> FileLock {
        let file = try FileLock(path: "\(folder)/\(name).lock")
        if try file.tryLock() { return file }
        let waiter = LockWaiter()
        // A separate queue has its own thread, because the wait may be long.
        DispatchQueue(label: "latchstring.lock").async {
            let result = Result { try file.waitForLock() }
            if !waiter.complete(result.map { file }) { file.release() }
        }
        let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) * 1e-18
        // `flock` cannot time out, so the thread waits on after a timeout. It releases the lock when it gets it.
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { _ = waiter.complete(.failure(Self.held)) }
        return try await waiter.value()
    }

    private static let held = LatchError(
        .storageLocked,
        "Another program has locked this account and does not release it; it may be suspended. "
            + "Resume or end that program, and try again.")

    /// Returns the account's lock, or nil when it is held.
    func lockIfFree(_ account: UUID) throws -> FileLock? {
        try lockIfFree(named: account.uuidString.lowercased())
    }

    /// Returns the lock with a name, or nil when it is held.
    func lockIfFree(named name: String) throws -> FileLock? {
        let file = try FileLock(path: "\(folder)/\(name).lock")
        return try file.tryLock() ? file : nil
    }
}

/// An open lock file.
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

    /// Releases the lock. Closing alone is not enough while a process that is being spawned has a copy of the file
    /// descriptor.
    package func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor {
                // The file stays. If it were removed, two programs could lock two different files with this name.
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
            "Could not lock '\(path)': system error \(reason). Check that you own its folder and may write to it.")
    }
}

/// A task's wait for a lock. It ends with the lock, a failure or the cancellation of the task, whichever comes first.
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

    /// Ends the wait with a result. Returns false when the wait has already ended, so that the result is not used.
    func complete(_ result: Result<FileLock, any Error>) -> Bool {
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
    /// Returns the lock with a name, or nil when another program or task holds it. LatchKit itself uses the ids of
    /// accounts and names that begin with `key-`.
    package func lockIfFree(named name: String) throws -> FileLock? { try locks.lockIfFree(named: name) }
}
