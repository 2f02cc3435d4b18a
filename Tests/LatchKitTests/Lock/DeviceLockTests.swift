import Crypto
import Desktop
import Foundation
import SecretStorage
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// The lock of a device, with a real server and the kernel's keyring.
@Suite(.timeLimit(.minutes(20))) struct DeviceLockTests {
    static let pin = Secret("274951")
    static let wrong = Secret("000000")

    @Test("IM-15 a locked account needs the PIN for its next request, also in another program, and stays signed in")
    func lockAndUnlock() async throws {
        let fixture = try OnyxFixture()
        let (one, two) = (try await fixture.home.open(), try await fixture.home.open())
        let account = try await fixture.signIn(one)
        #expect(try one.lock.state == .none)
        try await one.lock.set(Self.pin)
        #expect(try one.lock.state == .unlocked)
        #expect(try await two.session(for: account).identity().email == "ada@example.org")

        try one.lock.lock()
        for program in [one, two] {
            #expect(try program.lock.state == .locked)
            let error = await #expect(throws: LatchError.self) { try await program.session(for: account).identity() }
            #expect(error?.code == .pinRequired)
        }
        #expect(try await one.accounts.account(account.id)?.isSignedIn == true)

        let wrong = await #expect(throws: LatchError.self) { try await two.lock.unlock(with: Self.wrong) }
        #expect(wrong?.code == .wrongPIN && wrong?.message.contains("9 tries are left") == true)
        try await two.lock.unlock(with: Self.pin)
        #expect(try await one.session(for: account).identity().email == "ada@example.org")
    }

    @Test("IM-15 while the device is locked, no account is signed out with a token that a program still has in memory")
    func signOut() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.lock.set(Self.pin)
        _ = try await latch.session(for: account).identity()

        try latch.lock.lock()
        let asked = fixture.wire.requests.count
        let error = await #expect(throws: LatchError.self) { try await latch.signOut(account) }
        #expect(error?.code == .pinRequired && fixture.wire.requests.count == asked)
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)

        try await latch.lock.unlock(with: Self.pin)
        #expect(try await latch.signOut(account).isRevoked)
        #expect(try await latch.accounts.accounts().isEmpty)
    }

    @Test("IM-15 with a lock no secret of an account is readable in the store, and without it each is readable again")
    func sealing() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Proxy": "proxy value"]))
        let key = try await latch.accounts.sealingKey(of: account.id)
        let names = try await latch.accounts.secrets.names(of: account.id)
        let before = try await stored(names, fixture)
        #expect(before.count == 3)

        try await latch.lock.set(Self.pin)
        let sealed = try await stored(names, fixture)
        #expect(sealed.allSatisfy { SealedSecret($0) != nil } && sealed.count == 3)
        #expect(try await latch.accounts.sealingKey(of: account.id) == key)
        #expect(try await latch.accounts.connection(of: account.id).extraHeaders["X-Proxy"] == "proxy value")

        try latch.lock.lock()
        try await latch.lock.remove(with: Self.pin)
        #expect(try await stored(names, fixture) == before)
        #expect(try latch.lock.state == .none)
        #expect(Set(fixture.home.secrets.names).isSubset(of: names))
    }

    @Test("IM-15 after a change only the new PIN unlocks, and the secrets are sealed for another key")
    func change() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.lock.set(Self.pin)
        let before = try #require(try latch.lock.record())
        let new = Secret("a longer text")
        try latch.lock.lock()
        try await latch.lock.change(from: Self.pin, to: new)
        let after = try #require(try latch.lock.record())
        #expect(after.id != before.id && after.replaced == nil)
        try latch.lock.lock()

        let old = await #expect(throws: LatchError.self) { try await latch.lock.unlock(with: Self.pin) }
        #expect(old?.code == .wrongPIN)
        try await latch.lock.unlock(with: new)
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
    }

    @Test("IM-15 a sign-in while there is a lock stores a sealed token, also in a program that was open before")
    func signInWithLock() async throws {
        let fixture = try OnyxFixture()
        let (one, two) = (try await fixture.home.open(), try await fixture.home.open())
        try await one.lock.set(Self.pin)
        let account = try await fixture.signIn(two)
        let token = try #require(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)))
        #expect(SealedSecret(token) != nil)
    }

    @Test("IM-15 ten wrong tries delete the key, every account must sign in again, and a new sign-in works")
    func tenTries() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.lock.set(Self.pin)
        try latch.lock.lock()
        var last: LatchError?
        for _ in 0..<10 {
            last = await #expect(throws: LatchError.self) { try await latch.lock.unlock(with: Self.wrong) }
            fixture.home.boot.advance(by: .seconds(1800))
        }
        #expect(last?.code == .sessionEnded)
        let ended = try #require(try await latch.accounts.account(account.id))
        #expect(!ended.isSignedIn && ended.endedBecause?.contains("entered wrongly 10 times") == true)
        #expect(try latch.lock.state == .none)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        let again = try await fixture.signIn(latch)
        #expect(again.id == account.id)
        #expect(try await latch.session(for: again).identity().email == "ada@example.org")
    }

    @Test("IM-15 a pause is kept over a new program and a clock that is set, and refuses even the right PIN")
    func pause() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        try await latch.lock.set(Self.pin)
        try latch.lock.lock()
        for _ in 0..<3 { await #expect(throws: LatchError.self) { try await latch.lock.unlock(with: Self.wrong) } }
        await latch.close()
        fixture.home.clock.advance(by: 1_000_000)

        let next = try await fixture.home.open()
        let error = await #expect(throws: LatchError.self) { try await next.lock.unlock(with: Self.pin) }
        #expect(error?.code == .rateLimited && error?.retryAfter == .seconds(15))
        fixture.home.boot.restart()
        await #expect(throws: LatchError.self) { try await next.lock.unlock(with: Self.pin) }
        fixture.home.boot.advance(by: .seconds(15))
        try await next.lock.unlock(with: Self.pin)
        #expect(try next.lock.tries?.left == 10)
    }

    @Test("IM-15 the lock locks after the time without use, and a use begins the time again")
    func idle() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        var settings = DeviceLock.Settings()
        settings.idleSeconds = 100
        try await latch.lock.set(Self.pin, settings: settings)
        fixture.home.boot.advance(by: .seconds(60))
        _ = try await latch.session(for: account).identity()
        fixture.home.boot.advance(by: .seconds(60))
        #expect(try latch.lock.state == .unlocked)
        fixture.home.boot.advance(by: .seconds(60))
        #expect(try latch.lock.state == .locked)
    }

    @Test("IM-15 a program that watches logind locks when the session is locked, and when the machine is suspended")
    func session() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let desktop = try await MockDesktop(.login)
        try await desktop.addSession("one")
        try await latch.lock.set(Self.pin)
        let watch = Task { await latch.lock.lockWithSession(desktop.environment) }
        defer { watch.cancel() }
        // The watch may not have begun when the first signals are sent.
        try await eventually {
            try await desktop.lockSession("one")
            return try latch.lock.state == .locked
        }
        try await latch.lock.unlock(with: Self.pin)
        try await desktop.suspend()
        try await eventually { try latch.lock.state == .locked }
    }

    @Test("IM-15 a suspension waits until the key is revoked, and only while there is a lock")
    func suspensionWaits() async throws {
        let (fixture, desktop) = (try OnyxFixture(), try await MockDesktop(.login))
        let keys = ObservedKeys()
        let delays = Mutex<[Bool]>([])
        keys.observe { if case .removed = $0 { delays.withLock { $0.append(desktop.isSuspensionDelayed()) } } }
        let latch = try await fixture.home.open(unlockedKeys: keys)
        let watch = Task { await latch.lock.lockWithSession(desktop.environment) }
        defer { watch.cancel() }
        try await latch.lock.set(Self.pin)
        try await desktop.waitForInhibitors(true)
        #expect(try await desktop.inhibitors().contains("'sleep', 'Latchstring', 'Locking the accounts"))

        // The watch may not have begun when the first signals are sent.
        try await eventually {
            try await desktop.suspend()
            return try await !desktop.inhibitors().contains("'sleep'")
        }
        #expect(try latch.lock.state == .locked)
        #expect(delays.withLock(\.self) == [true])

        try await desktop.resume()
        try await desktop.waitForInhibitors(true)
        try await latch.lock.remove(with: Self.pin)
        try await desktop.waitForInhibitors(false)
    }

    @Test("IM-15 a change of the lock does not delay a suspension that has begun")
    func suspending() async throws {
        let desktop = try await MockDesktop(.login)
        let delay = SuspensionDelay(desktop.environment)
        await delay.record(.began)
        await delay.setLock(exists: true)
        try await desktop.waitForInhibitors(true)
        await delay.record(.suspending)
        try await desktop.waitForInhibitors(false)
        await delay.setLock(exists: true)
        #expect(try await !desktop.inhibitors().contains("sleep"))
        await delay.record(.resumed)
        try await desktop.waitForInhibitors(true)
    }

    @Test("IM-15 a suspension is delayed only while logind is watched, because otherwise nothing would end the delay")
    func delayWithoutWatch() async throws {
        let desktop = try await MockDesktop(.login)
        let delay = SuspensionDelay(desktop.environment)
        await delay.setLock(exists: true)
        #expect(try await !desktop.inhibitors().contains("sleep"))
        await delay.record(.began)
        try await desktop.waitForInhibitors(true)
        await delay.record(.ended)
        try await desktop.waitForInhibitors(false)
    }

    @Test("IM-15 a delay that logind refuses is requested again, also when the lock does not change")
    func refusedDelay() async throws {
        let (fixture, desktop) = (try OnyxFixture(), try await MockDesktop(.login))
        try await desktop.refuseInhibitors()
        let latch = try await fixture.home.open()
        try await latch.lock.set(Self.pin)
        let delay = SuspensionDelay(desktop.environment, pause: .zero)
        let watch = Task { await latch.lock.lockWithSession(desktop.environment, delay) }
        defer { watch.cancel() }
        try await eventually { desktop.calls(.login).count { $0.contains(#"Inhibit "sleep""#) } >= 2 }
    }

    @Test("IM-15 without the kernel's keyring each program must be unlocked by itself")
    func withoutKeyring() async throws {
        let fixture = try OnyxFixture()
        let one = try await fixture.home.open(unlockedKeys: ProcessKeys())
        let two = try await fixture.home.open(unlockedKeys: ProcessKeys())
        try await one.lock.set(Self.pin)
        #expect(try one.lock.state == .unlocked && two.lock.state == .locked)
    }

    @Test("IM-15 running downloads keep the accounts readable in their program if the settings say so")
    func downloads() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.lock.set(Self.pin)
        try await latch.lock.retaining {
            try latch.lock.lock()
            _ = try await latch.session(for: account).identity()
        }
        #expect(try latch.lock.state == .locked)

        try await latch.lock.unlock(with: Self.pin)
        var settings = DeviceLock.Settings()
        settings.continuesDownloads = false
        try await latch.lock.changeSettings(settings)
        try await latch.lock.retaining {
            try latch.lock.lock()
            await #expect(throws: LatchError.self) { try await latch.session(for: account).identity() }
        }
    }

    @Test("IM-15 the key is kept until the last of several downloads ends, or the settings no longer allow it")
    func nestedRetaining() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.lock.set(Self.pin)
        try await latch.lock.retaining {
            try await latch.lock.retaining { try latch.lock.lock() }
            _ = try await latch.session(for: account).identity()
        }
        await #expect(throws: LatchError.self) { try await latch.session(for: account).identity() }

        try await latch.lock.unlock(with: Self.pin)
        try await latch.lock.retaining {
            var settings = DeviceLock.Settings()
            settings.continuesDownloads = false
            try await latch.lock.changeSettings(settings)
            try latch.lock.lock()
            await #expect(throws: LatchError.self) { try await latch.session(for: account).identity() }
        }
    }

    @Test("IM-15 the states of the lock are sent, also those that another program causes")
    func states() async throws {
        let fixture = try OnyxFixture()
        let (one, two) = (try await fixture.home.open(), try await fixture.home.open())
        var states = one.lock.stateUpdates.makeAsyncIterator()
        #expect(await states.next() == DeviceLock.State.none)
        try await two.lock.set(Self.pin)
        #expect(await states.next() == .unlocked)
        try two.lock.lock()
        #expect(await states.next() == .locked)
    }

    @Test(
        "IM-15 no program sees the device locked while its PIN is changed or its lock is removed",
        arguments: [false, true])
    func changeWithoutLock(isRemoval: Bool) async throws {
        let (fixture, keys) = (try OnyxFixture(), ObservedKeys())
        let states = Mutex<[DeviceLock.State?]>([])
        let latch = try await fixture.home.open(unlockedKeys: keys)
        _ = try await fixture.signIn(latch)
        try await latch.lock.set(Self.pin)
        let lock = latch.lock
        keys.observe { if case .removed = $0 { states.withLock { $0.append(try? lock.state) } } }
        if isRemoval {
            try await lock.remove(with: Self.pin)
        } else {
            try await lock.change(from: Self.pin, to: Self.pin)
        }
        keys.observe(nil)
        #expect(states.withLock(\.self) == [isRemoval ? DeviceLock.State.none : .unlocked])
    }

    @Test("IM-15 a lock that another program removes while its state is read is not reported as locked")
    func removalDuringRead() async throws {
        let (fixture, keys) = (try OnyxFixture(), ObservedKeys())
        let latch = try await fixture.home.open(unlockedKeys: keys)
        try await latch.lock.set(Self.pin)
        let record = fixture.home.folders.lock
        keys.observe { [unowned keys] moment in
            guard case .willRead(let name) = moment else { return }
            keys.observe(nil)
            #expect(unlink(record) == 0)
            keys.remove(name)
        }
        #expect(try latch.lock.state == .none)
    }

    @Test("IM-15 a sealed secret that is moved to another name is refused, and a modified record is an error")
    func hostile() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.lock.set(Self.pin)
        let token = try #require(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)))
        try await fixture.home.secrets.write(token, for: AccountStore.sealingKeyName(account.id))
        let moved = await #expect(throws: LatchError.self) { try await latch.accounts.sealingKey(of: account.id) }
        #expect(moved?.code == .secretStoreDamaged)

        try Data("{}".utf8).write(to: URL(fileURLWithPath: fixture.home.folders.lock))
        let damaged = await #expect(throws: LatchError.self) { try await latch.lock.unlock(with: Self.pin) }
        #expect(damaged?.code == .secretStoreDamaged)
        try await latch.lock.forget()
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == false)
    }

    @Test("IM-15 a PIN of five digits or a text of seven characters is refused", arguments: ["27495", "2749a51", ""])
    func weak(_ text: String) async throws {
        let latch = try await OnyxFixture().home.open()
        let error = await #expect(throws: LatchError.self) { try await latch.lock.set(Secret(text)) }
        #expect(error?.code == .weakPassword)
        #expect(try latch.lock.state == .none)
    }

    private func stored(_ names: [SecretKey], _ fixture: OnyxFixture) async throws -> [Secret] {
        var found: [Secret] = []
        for name in names { if let secret = try await fixture.home.secrets.read(name) { found.append(secret) } }
        return found
    }
}

/// Keys in memory, which report what happens to them.
private final class ObservedKeys: UnlockedKeyStoring {
    enum Moment {
        case willRead(name: String)
        case removed
    }

    private let keys = ProcessKeys()
    private let observer = Mutex<(@Sendable (Moment) -> Void)?>(nil)

    /// Sets what is called at each moment. Nil: nothing.
    func observe(_ observer: (@Sendable (Moment) -> Void)?) { self.observer.withLock { $0 = observer } }

    func store(_ secret: Secret, as name: String, timeout: Duration) -> Bool {
        keys.store(secret, as: name, timeout: timeout)
    }
    func extend(_ secret: Secret, as name: String, timeout: Duration) {
        keys.extend(secret, as: name, timeout: timeout)
    }
    func read(_ name: String) -> Secret? {
        observer.withLock(\.self)?(.willRead(name: name))
        return keys.read(name)
    }

    func remove(_ name: String) {
        guard keys.read(name) != nil else { return }
        keys.remove(name)
        observer.withLock(\.self)?(.removed)
    }
}
