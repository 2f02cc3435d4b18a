import Crypto
import Foundation
import SecretStorage
import Testing

/// The kernel's keyring of this user.
@Suite struct UserKeyringTests {
    private let name = "latchstring-test:\(UUID())"
    private static let isAvailable: Bool = {
        let name = "latchstring-test:\(UUID())"
        defer { UserKeyring.remove(name) }
        return UserKeyring.store(Secret("x"), as: name, timeout: .seconds(10))
    }()

    @Test(
        "IM-15 a secret in the kernel's keyring is replaced, read and removed",
        .enabled(if: isAvailable, "the kernel's keyring is not available"))
    func roundTrip() {
        #expect(UserKeyring.read(name) == nil)
        #expect(UserKeyring.store(Secret("one"), as: name, timeout: .milliseconds(1)))
        #expect(UserKeyring.store(Secret("two"), as: name, timeout: .seconds(600)))
        #expect(UserKeyring.read(name) == Secret("two"))
        UserKeyring.remove(name)
        #expect(UserKeyring.read(name) == nil)
        UserKeyring.remove(name)
    }

    @Test("IM-15 a secret that is too long for the kernel's keyring is not stored")
    func tooLong() {
        #expect(!UserKeyring.store(Secret(String(repeating: "x", count: 1025)), as: name, timeout: .seconds(10)))
        #expect(UserKeyring.read(name) == nil)
    }
}
