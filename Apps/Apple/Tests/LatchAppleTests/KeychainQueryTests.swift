// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchKit
import Security
import Testing

@testable import LatchApple

struct KeychainQueryTests {
    private static let key = SecretKey(service: "com.timetracker.app", account: "accessToken")
    private static let secret = Secret("opaque-token-of-the-server")

    @Test("TT-5 a secret is added for this device only, readable when unlocked, and not synchronised")
    func adding() {
        let query = KeychainQuery(key: Self.key).adding(Self.secret)
        #expect(Self.text(query, kSecClass) == kSecClassGenericPassword as String)
        #expect(Self.text(query, kSecAttrService) == "com.timetracker.app")
        #expect(Self.text(query, kSecAttrAccount) == "accessToken")
        #expect(Self.text(query, kSecAttrAccessible) == kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String)
        #expect(query[kSecAttrSynchronizable as String] as? Bool == false)
        #expect(query[kSecUseDataProtectionKeychain as String] as? Bool == true)
        #expect(query[kSecValueData as String] as? Data == Data("opaque-token-of-the-server".utf8))
        #expect(query.count == 7)
    }

    @Test("TT-5 a secret is read by its name only, and one is returned")
    func reading() {
        let query = KeychainQuery(key: Self.key).reading
        #expect(Self.text(query, kSecMatchLimit) == kSecMatchLimitOne as String)
        #expect(query[kSecReturnData as String] as? Bool == true)
        #expect(query[kSecAttrAccessible as String] == nil)
        #expect(query[kSecValueData as String] == nil)
        #expect(query.count == 7)
    }

    @Test("TT-5 a replaced secret keeps its name and gets the accessibility again")
    func replacing() {
        let attributes = KeychainQuery.attributes(of: Self.secret)
        #expect(Set(attributes.keys) == [kSecValueData as String, kSecAttrAccessible as String])
        #expect(Self.text(attributes, kSecAttrAccessible) == kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String)
    }

    @Test("RM-7 secrets of two accounts of one service have different names")
    func accounts() {
        let accounts = ["1", "2"].map { id in
            let key = SecretKey(service: "com.timetracker.app", account: "accessToken", id: id)
            return Self.text(KeychainQuery(key: key).item, kSecAttrAccount)
        }
        #expect(accounts == ["accessToken/1", "accessToken/2"])
    }

    @Test(
        "TT-5 a result code of the Keychain is an error that names the remedy, and a locked device is not an empty store"
    )
    func errors() {
        #expect(SecretStorageError(keychain: errSecSuccess, "read a secret in") == nil)
        let locked = SecretStorageError(keychain: errSecInteractionNotAllowed, "read a secret in")
        #expect(locked?.code == .locked)
        #expect(
            locked?.message
                == "Could not read a secret in the Keychain (error -25308). Unlock the device and try again.")
        #expect(SecretStorageError(keychain: errSecMissingEntitlement, "store a secret in")?.code == .denied)
        #expect(SecretStorageError(keychain: errSecNotAvailable, "store a secret in")?.code == .absent)
        #expect(SecretStorageError(keychain: -1, "store a secret in")?.code == .io)
    }

    private static func text(_ query: [String: Any], _ name: CFString) -> String? { query[name as String] as? String }
}
