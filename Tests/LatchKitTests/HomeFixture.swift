import Crypto
import Database
import Foundation
import SecretStorage
import Synchronization
import TestSupport

@testable import LatchKit

/// A person's home folder and secret store, opened as often as a test wants: each opening is a program of its own.
final class HomeFixture: Sendable {
    let secrets = MemoryStore()
    let clock = ManualClock()
    let boot = ManualBoot()
    let network = ScriptedNetwork()
    private let patience = Mutex(SuccessTimeout.duration)
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// How long every program of this home waits for an answer, from the next request on.
    var requestTimeout: Duration {
        get { patience.withLock { $0 } }
        set { patience.withLock { $0 = newValue } }
    }

    var folders: Folders { Folders(data: folder.path + "/latchstring") }

    /// Every file of the home that holds `secret`, of ``Leaks/shortestNeedle`` bytes or more.
    func files(holding secret: String) throws -> [String] {
        let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        return all.filter { name in
            FileManager.default.contents(atPath: folder.file(name))?.leaks(secret) ?? false
        }
    }

    func open(
        secrets: (any SecretStoring)? = nil, stoppingAfter step: AccountStep? = nil,
        revocationTimeout: Duration = SuccessTimeout.duration,
        recoversOnOpen: Bool = true, unlockedKeys: any UnlockedKeyStoring = SharedKeys(),
        headStart: Duration = SuccessTimeout.duration
    ) async throws -> LatchClient {
        var configuration = LatchClient.Configuration(
            folders: folders, secrets: secrets ?? self.secrets,
            device: Device(program: "latch", version: "1.2.3", model: "test", type: "Linux"),
            pollInterval: .milliseconds(20))
        configuration.now = { [clock] in clock.now }
        // A busy machine must not decide which address is used.
        configuration.headStart = headStart
        configuration.network = { [network] in network.states }
        configuration.recoversOnOpen = recoversOnOpen
        configuration.lockParameters = try Argon2idParameters(memoryKiB: 64, iterations: 1)
        configuration.unlockedKeys = unlockedKeys
        configuration.bootTime = { [boot] in boot.now }
        // A busy machine must not decide what a start finishes.
        configuration.startBound = SuccessTimeout.duration
        configuration.requestTimeout = { self.requestTimeout }
        configuration.revocationTimeout = revocationTimeout
        if let step {
            let stopped = CrashFlag()
            configuration.hook = CrashPoint { reached in
                if stopped.stop(reached == step) { throw Stopped() }
            }
        }
        return try await LatchClient.open(configuration)
    }
}

/// What stands for a crash.
struct Stopped: Error {}

private final class CrashFlag: Sendable {
    private let isStopped = Mutex(false)
    func stop(_ now: Bool) -> Bool {
        isStopped.withLock { stopped in
            if now { stopped = true }
            return stopped
        }
    }
}

/// Wall time that a test moves.
final class ManualClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    var now: Date { time.withLock { $0 } }
    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// The time since the boot that a test moves.
final class ManualBoot: Sendable {
    private let time = Mutex(BootTime(boot: "first", uptime: .seconds(3600)))
    var now: BootTime { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0.uptime += duration } }
    func restart() { time.withLock { $0 = BootTime(boot: $0.boot + "+", uptime: .seconds(1)) } }
}

/// A secret store that may be locked.
final class LockableStore: SecretStoring {
    private let inner = MemoryStore()
    private let code = Mutex<SecretStorageError.Code?>(nil)
    var label: String { "lockable" }

    func fail(_ code: SecretStorageError.Code?) { self.code.withLock { $0 = code } }

    func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        try checkOpen()
        return try await inner.read(key)
    }
    func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        try checkOpen()
        try await inner.write(secret, for: key)
    }
    func remove(_ key: SecretKey) async throws(SecretStorageError) {
        try checkOpen()
        try await inner.remove(key)
    }

    private func checkOpen() throws(SecretStorageError) {
        if let code = code.withLock({ $0 }) { throw SecretStorageError(code, "The store is not open. Unlock it.") }
    }
}

extension AccountStore {
    /// Every name under which an account's token may be in the secret store.
    static func tokenKeys(_ id: UUID) -> [SecretKey] {
        let text = id.uuidString.lowercased()
        return [tokenKey(id), SecretKey(service: "com.timetracker.app", account: "accessToken", id: text)]
    }

    /// How far the one row has come; nil where there is none.
    func stage() async throws -> String? {
        let all = Statement("SELECT stage FROM accounts") { row throws(DatabaseError) in try row.get(0) as String }
        return try await database.read { try $0.first(all) }
    }

    /// Every row, also those that do not count.
    func rowIDs() async throws -> [UUID] {
        let all = Statement("SELECT id FROM accounts") { row throws(DatabaseError) in try row.get(0) as UUID }
        return try await database.read { try $0.all(all) }
    }

    /// Makes the database refuse a change.
    func refuse(_ change: String) async throws {
        let trigger = Statement("CREATE TRIGGER refuse BEFORE UPDATE OF \(change) BEGIN SELECT RAISE(ABORT, 'no'); END")
        try await database.write { _ = try $0.run(trigger) }
    }

    /// Makes the database refuse new rows of a table.
    func refuseInsert(_ table: String) async throws {
        let trigger = Statement("CREATE TRIGGER refuse BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END")
        try await database.write { _ = try $0.run(trigger) }
    }

    /// How many keys are noted that may be left over, whoever's.
    func noteCount() async throws -> Int {
        let all = Statement("SELECT count(*) FROM leftover_keys") { row throws(DatabaseError) in try row.get(0) as Int }
        return try await database.read { try $0.first(all) } ?? 0
    }
}
