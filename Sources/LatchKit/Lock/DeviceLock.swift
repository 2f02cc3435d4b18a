public import Crypto
import Desktop
public import FoundationEssentials
import SecretStorage

/// The lock of this device: a PIN, or the system's own authentication, that is needed to read the secrets of all
/// accounts.
///
/// ```swift
/// if try latch.lock.state == .locked { try await latch.lock.unlock(with: pin) }
/// ```
///
/// All programs that share the accounts also share the lock. While it is locked, requests throw
/// ``LatchError/Code/pinRequired``. Sessions stay signed in.
///
/// Source: IM-15; docs/lock.md.
public struct DeviceLock: Sendable {
    /// The state of the lock.
    public enum State: String, Sendable, Hashable {
        /// There is no lock.
        case none
        /// The person must enter the PIN or authenticate to the system.
        case locked
        /// The person did so, and the time without use is not over.
        case unlocked
    }

    /// What unlocks.
    public enum Method: String, Sendable, Hashable, CaseIterable {
        /// The PIN of this device.
        case pin
        /// The system's own authentication, see ``SystemAuthentication``.
        case system
    }

    /// The settings of the lock.
    public struct Settings: Sendable, Hashable, Codable {
        /// The lock locks after this time without use, in seconds: 10 to 86,400. Default: 300.
        public var idleSeconds = 300
        /// Whether downloads that run continue while the lock is locked. Default: true.
        public var continuesDownloads = true

        /// Makes the default settings.
        public init() {}

        var idle: Duration { .seconds(idleSeconds) }
        var isValid: Bool { (10...86_400).contains(idleSeconds) }
    }

    /// The minimum number of digits of a PIN, and of characters of another text.
    public static let minimumDigits = 6, minimumCharacters = 8
    static let lockName = "device-lock"

    let accounts: AccountStore
    var vault: LockVault { accounts.vault }

    /// The current state. Reading it does not count as a use.
    public var state: State {
        get throws(LatchError) {
            do {
                guard let current = try vault.current(isUse: false) else { return .none }
                return current.key == nil ? .locked : .unlocked
            } catch { throw LatchError(error) }
        }
    }

    /// What unlocks. Empty when there is no lock. With both methods, either is enough.
    public var methods: Set<Method> {
        get throws(LatchError) { try record()?.methods ?? [] }
    }

    /// The settings. Nil when there is no lock.
    public var settings: Settings? {
        get throws(LatchError) { try record()?.settings }
    }

    /// The number of wrong tries that are left, and the time that the next try must wait. Nil when there is no lock.
    package var tries: (left: Int, pause: Duration)? {
        get throws(LatchError) { try record().map { ($0.tries.left, $0.tries.pause(at: vault.now())) } }
    }

    /// The state, followed by each change, also those by other programs and by time. While there is a lock, the state is
    /// checked at the poll interval of the client, because the kernel's keyring reports no changes. While the lock cannot
    /// be read, the state is ``State/locked``, which is reported at every check. The stream ends when it is no longer read.
    public var stateUpdates: AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                let pause = pauseWithoutLock()
                var last: State?
                while !Task.isCancelled {
                    let now = (try? state) ?? .locked
                    // Repeated, because it may have been unlocked and locked again since the last check.
                    if now != last || now == .locked { continuation.yield(now) }
                    last = now
                    if now == .none { _ = await pause.wait() } else { await pause.poll() }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Reports each change of the methods and settings, by this or another program: first at once, then after changes. The
    /// stream ends when it is no longer read.
    package var changes: AsyncStream<Void> {
        ChangePause.changes(of: [vault.path], interval: accounts.pollInterval)
    }

    /// Locks at once, for all programs that share the kernel's keyring. Does nothing when there is no lock. Running
    /// downloads continue unless the settings stop them.
    public func lock() throws(LatchError) {
        if let record = try record() { vault.lock(record) }
    }

    /// Locks whenever the session of the desktop is locked and the machine is suspended or resumed, until the task is
    /// cancelled. Has no effect without logind.
    ///
    /// While there is a lock, the machine is suspended only after the lock is locked, or after the time that logind allows
    /// programs for that.
    ///
    /// A program that runs for a long time calls this in a task of its own. Programs that do not run then find the lock
    /// locked as well.
    ///
    /// Source: org.freedesktop.login1(5), `Inhibit`.
    public func lockWithSession(_ environment: [String: String] = ProcessInfo.processInfo.environment) async {
        await lockWithSession(environment, SuspensionDelay(environment))
    }

    func lockWithSession(_ environment: [String: String], _ delay: SuspensionDelay) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let pause = pauseWithoutLock()
                while !Task.isCancelled {
                    // An error changes nothing, because the record may be readable again later.
                    let state = try? state
                    if let state { await delay.setLock(exists: state != .none) }
                    // Every five seconds while there is a lock, to try again what logind refused.
                    if state == .some(.none) {
                        _ = await pause.wait()
                    } else {
                        try? await Task.sleep(for: accounts.pollInterval * 10)
                    }
                }
            }
            group.addTask {
                for await event in SessionLockWatch(environment).events {
                    if [.sessionLocked, .suspending, .resumed].contains(event) { try? lock() }
                    await delay.record(event)
                }
            }
        }
    }

    /// Keeps the accounts readable in this process while `body` runs, if they are readable now and the settings say
    /// that downloads continue.
    package func retaining<Value>(_ body: () async throws -> Value) async throws -> Value {
        let continues = try settings?.continuesDownloads == true
        let isRetained = try await LatchError.converting { try continues && vault.retain() }
        defer { if isRetained { vault.release() } }
        return try await body()
    }

    /// The pauses between two readings of the record while there is no lock.
    private func pauseWithoutLock() -> ChangePause {
        ChangePause(paths: [vault.path], interval: accounts.pollInterval)
    }

    func record() throws(LatchError) -> LockRecord? {
        do { return try vault.record() } catch { throw LatchError(error) }
    }

    /// Checks a new PIN: six or more digits, or eight or more characters, at most 1024 bytes.
    ///
    /// - Throws: ``LatchError/Code/weakPassword``.
    public static func check(_ pin: Secret) throws(LatchError) {
        let isStrong = pin.withBytes { bytes in
            let isNumber = bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return bytes.count <= 1024 && bytes.count >= (isNumber ? minimumDigits : minimumCharacters)
        }
        guard !isStrong else { return }
        throw LatchError(
            .weakPassword,
            "This PIN cannot be used. Use \(minimumDigits) digits or more, or a text of \(minimumCharacters) to 1024 "
                + "characters. Nothing was changed.")
    }
}

extension LatchClient {
    /// The lock of this device.
    public var lock: DeviceLock { DeviceLock(accounts: accounts) }
}
