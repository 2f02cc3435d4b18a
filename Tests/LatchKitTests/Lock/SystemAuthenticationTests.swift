import Crypto
import HTTPMessages
import SecretStorage
import TestSupport
import Testing

@testable import LatchKit

/// The lock of a device with the system's authentication, over a real bus with a simulated polkit.
@Suite(.timeLimit(.minutes(20))) struct SystemAuthenticationTests {
    private static let pin = DeviceLockTests.pin

    @Test("IM-15 the system's authentication unlocks instead of a PIN, and a refusal is no wrong try")
    func instead() async throws {
        let fixture = try await PolkitFixture()
        let authentication = fixture.authentication
        let (one, two) = (try await fixture.onyx.home.open(), try await fixture.onyx.home.open())
        let account = try await fixture.onyx.signIn(one)
        try await one.lock.set(authentication)
        #expect(try one.lock.state == .unlocked && one.lock.methods == [.system])
        let token = try #require(try await fixture.onyx.home.secrets.read(AccountStore.tokenKey(account.id)))
        #expect(SealedSecret(token) != nil)

        try one.lock.lock()
        try await fixture.desktop.setPolkit(.denies)
        let locked = await #expect(throws: LatchError.self) { try await two.session(for: account).identity() }
        #expect(locked?.code == .pinRequired && locked?.message.contains("Authenticate to the system") == true)
        let denied = await #expect(throws: LatchError.self) { try await two.lock.unlock(with: authentication) }
        #expect(denied?.code == .systemAuthenticationDenied)
        try await fixture.desktop.setPolkit(.isDismissed)
        let dismissed = await #expect(throws: LatchError.self) { try await two.lock.unlock(with: authentication) }
        #expect(dismissed?.code == .systemAuthenticationUnanswered)
        #expect(try two.lock.state == .locked && two.lock.tries?.left == 10)

        try await fixture.desktop.setPolkit(.allows)
        try await two.lock.unlock(with: authentication)
        #expect(try await one.session(for: account).identity().email == "ada@example.org")
        let noPIN = await #expect(throws: LatchError.self) { try await one.lock.unlock(with: Self.pin) }
        #expect(noPIN?.code == .invalidRequest)
    }

    @Test("IM-15 with a PIN and the system's authentication either unlocks, and each can be added to the other")
    func besides() async throws {
        let fixture = try await PolkitFixture()
        let authentication = fixture.authentication
        let latch = try await fixture.onyx.home.open()
        let account = try await fixture.onyx.signIn(latch)
        try await latch.lock.set(Self.pin)
        try await latch.lock.addSystemAuthentication(authentication, with: Self.pin)
        try await expectBoth(latch, account, authentication)
        try await latch.lock.change(from: Self.pin, to: Self.pin)
        try await expectBoth(latch, account, authentication)
        try await latch.lock.remove(with: authentication)
        #expect(try fixture.systemKeys.isEmpty && latch.lock.methods.isEmpty)

        try await latch.lock.set(authentication)
        try await latch.lock.addPIN(Self.pin, with: authentication)
        try await expectBoth(latch, account, authentication)
    }

    @Test("IM-15 when the system's authentication is removed, its key no longer opens anything and the PIN does")
    func removed() async throws {
        let fixture = try await PolkitFixture()
        let authentication = fixture.authentication
        let latch = try await fixture.onyx.home.open()
        let account = try await fixture.onyx.signIn(latch)
        try await latch.lock.set(authentication)
        try await latch.lock.addPIN(Self.pin, with: authentication)
        let before = try #require(try await fixture.systemKey(of: latch.lock.record()))
        try await latch.lock.removeSystemAuthentication(with: Self.pin)
        #expect(try latch.lock.methods == [.pin] && latch.lock.record()?.isKey(before) == false)
        #expect(fixture.systemKeys.isEmpty)

        try latch.lock.lock()
        let error = await #expect(throws: LatchError.self) { try await latch.lock.unlock(with: authentication) }
        #expect(error?.code == .invalidRequest)
        try await latch.lock.unlock(with: Self.pin)
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
    }

    @Test("IM-15 a program that asks the person itself sets and unlocks the lock, and its refusal keeps the lock")
    func ownQuestion() async throws {
        struct Question: SystemAuthenticating {
            let refusal: LatchError?

            func authenticate() async throws {
                if let refusal { throw refusal }
            }
        }
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.lock.set(SystemAuthentication(Question(refusal: nil)))
        try latch.lock.lock()

        let refusal = LatchError(.systemAuthenticationDenied, "Touch ID did not accept the finger.")
        let error = await #expect(throws: LatchError.self) {
            try await latch.lock.unlock(with: SystemAuthentication(Question(refusal: refusal)))
        }
        #expect(error?.code == .systemAuthenticationDenied)
        #expect(try latch.lock.state == .locked)

        try await latch.lock.unlock(with: SystemAuthentication(Question(refusal: nil)))
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
    }

    @Test("IM-15 where polkit does not answer or allow, nothing is set", arguments: [true, false])
    func unavailable(hasPolkit: Bool) async throws {
        let fixture = try await PolkitFixture(hasPolkit: hasPolkit)
        if hasPolkit { try await fixture.desktop.setPolkit(.denies) }
        let latch = try await fixture.onyx.home.open()
        let error = await #expect(throws: LatchError.self) {
            try await latch.lock.set(fixture.authentication)
        }
        #expect(error?.code == (hasPolkit ? .systemAuthenticationDenied : .systemAuthenticationUnavailable))
        #expect(try fixture.systemKeys.isEmpty && latch.lock.state == .none)
    }

    @Test("IM-15 a sealed file is refused as the store of the key for the system's authentication")
    func sealedFile() async throws {
        let fixture = try await PolkitFixture()
        let authentication = fixture.authentication
        let latch = try await fixture.onyx.home.open(secrets: DeviceSecrets(.file, folders: fixture.onyx.home.folders))
        try await latch.lock.set(Self.pin)
        let error = await #expect(throws: LatchError.self) {
            try await latch.lock.addSystemAuthentication(authentication, with: Self.pin)
        }
        #expect(error?.code == .systemAuthenticationUnavailable && error?.message.contains("Use a PIN") == true)
        #expect(try latch.lock.methods == [.pin])
    }

    @Test("IM-15 ten wrong tries of the PIN delete the key for the system's authentication too")
    func tenTries() async throws {
        let fixture = try await PolkitFixture()
        let authentication = fixture.authentication
        let latch = try await fixture.onyx.home.open()
        let account = try await fixture.onyx.signIn(latch)
        try await latch.lock.set(authentication)
        try await latch.lock.addPIN(Self.pin, with: authentication)
        for _ in 0..<10 {
            await #expect(throws: LatchError.self) { try await latch.lock.unlock(with: DeviceLockTests.wrong) }
            fixture.onyx.home.boot.advance(by: .seconds(1800))
        }
        #expect(try fixture.systemKeys.isEmpty && latch.lock.state == .none)
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == false)
    }

    @Test("IM-15 a key in the secret store that is missing or another one is an error, and the PIN still unlocks")
    func missingKey() async throws {
        let fixture = try await PolkitFixture()
        let authentication = fixture.authentication
        let latch = try await fixture.onyx.home.open()
        try await latch.lock.set(authentication)
        try await latch.lock.addPIN(Self.pin, with: authentication)
        try latch.lock.lock()
        let name = LockVault.systemKeyName(try #require(try latch.lock.record()?.id))
        for stored in [Secret.random(SealedBox.keyCount).withBytes(Base64URL.encode), "?", ""] {
            try await fixture.onyx.home.secrets.write(Secret(stored), for: name)
            let error = await #expect(throws: LatchError.self) { try await latch.lock.unlock(with: authentication) }
            #expect(error?.code == .secretStoreFailed)
        }
        try await latch.lock.unlock(with: Self.pin)
    }

    @Test("IM-15 two data folders with one secret store have locks that do not disturb each other")
    func twoFolders() async throws {
        let (one, two) = (try await PolkitFixture(), try await PolkitFixture())
        let latch = try await one.onyx.home.open()
        let other = try await two.onyx.home.open(secrets: one.onyx.home.secrets)
        try await latch.lock.set(one.authentication)
        try await latch.lock.addPIN(Self.pin, with: one.authentication)
        try await other.lock.set(two.authentication)
        try await other.lock.addPIN(Self.pin, with: two.authentication)
        try await other.lock.removeSystemAuthentication(with: Self.pin)
        try await other.lock.addSystemAuthentication(two.authentication, with: Self.pin)
        try await other.lock.remove(with: Self.pin)
        try latch.lock.lock()
        try await latch.lock.unlock(with: one.authentication)
        try latch.lock.lock()
        try await latch.lock.unlock(with: Self.pin)
        try await latch.lock.remove(with: Self.pin)
        #expect(one.onyx.home.secrets.names.isEmpty)
    }

    @Test("IM-15 a removal of the system's authentication that is not set costs no try of the PIN")
    func notSet() async throws {
        let latch = try await OnyxFixture().home.open()
        let none = await #expect(throws: LatchError.self) {
            try await latch.lock.removeSystemAuthentication(with: Self.pin)
        }
        #expect(none?.code == .invalidRequest && none?.message.contains("no lock") == true)
        try await latch.lock.set(Self.pin)
        let error = await #expect(throws: LatchError.self) {
            try await latch.lock.removeSystemAuthentication(with: DeviceLockTests.wrong)
        }
        #expect(error?.code == .invalidRequest)
        #expect(try latch.lock.tries?.left == 10)
    }

    @Test("IM-15 while a person is asked, another program can unlock with the PIN, and the question can be cancelled")
    func question() async throws {
        let fixture = try await PolkitFixture()
        let authentication = fixture.authentication
        let (one, two) = (try await fixture.onyx.home.open(), try await fixture.onyx.home.open())
        try await one.lock.set(authentication)
        try await one.lock.addPIN(Self.pin, with: authentication)
        try one.lock.lock()
        let waiting = try await MockDesktop(.polkit)
        try await waiting.setPolkit(.hangs)
        let task = Task { try await one.lock.unlock(with: SystemAuthentication(waiting.environment)) }
        try await waiting.waitForHangingAuthorization()
        try await two.lock.unlock(with: Self.pin)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.cancellableValue }
        #expect(try one.lock.state == .unlocked)
    }

    private func expectBoth(
        _ latch: LatchClient, _ account: Account, _ authentication: SystemAuthentication
    ) async throws {
        #expect(try latch.lock.methods == [.pin, .system])
        try latch.lock.lock()
        try await latch.lock.unlock(with: authentication)
        try latch.lock.lock()
        try await latch.lock.unlock(with: Self.pin)
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
    }
}

/// A home, a server and a polkit that allows.
final class PolkitFixture {
    let onyx: OnyxFixture
    let desktop: MockDesktop
    var authentication: SystemAuthentication { SystemAuthentication(desktop.environment) }

    init(hasPolkit: Bool = true) async throws {
        onyx = try OnyxFixture()
        desktop = hasPolkit ? try await MockDesktop(.polkit) : try await MockDesktop()
        if hasPolkit { try await desktop.setPolkit(.allows) }
    }

    /// The ids of the keys for the system's authentication that the secret store contains.
    var systemKeys: Set<String> {
        Set(onyx.home.secrets.names.compactMap { $0.id.map(LockVault.systemKeyName) == $0 ? $0.id : nil })
    }

    /// The key for the system's authentication in the secret store. Nil unless it is the key of the record.
    func systemKey(of record: LockRecord?) async throws -> Secret? {
        guard let record, let text = try await onyx.home.secrets.read(LockVault.systemKeyName(record.id)),
            let key = Base64URL.decode(text.reveal()).map({ Secret(bytes: $0) })
        else { return nil }
        return record.isKey(key) ? key : nil
    }
}
