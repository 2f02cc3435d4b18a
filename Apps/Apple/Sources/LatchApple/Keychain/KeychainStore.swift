// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
public import LatchKit
import Security

/// The Keychain as the store for secrets. Pass it as `LatchClient.Configuration.secrets`.
///
/// Source: TT-5; https://developer.apple.com/documentation/security/keychain-services
public struct KeychainStore: SecretStoring {
    /// Creates a store. Nothing is read yet.
    public init() {}

    /// The text `Keychain`.
    public var label: String { "Keychain" }

    /// Reads a secret. Returns nil when there is none for `key`.
    ///
    /// Source: https://developer.apple.com/documentation/security/secitemcopymatching(_:_:)
    @concurrent public func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(KeychainQuery(key: key).reading as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        try Self.check(status, "read a secret in")
        guard let bytes = result as? Data else {
            throw SecretStorageError(.damaged, "The Keychain returned something other than a secret. Sign in again.")
        }
        return Secret(bytes: Array(bytes))
    }

    /// Stores a secret. One that exists is replaced in one step, so that none is lost when the program ends in between.
    @concurrent public func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        let query = KeychainQuery(key: key)
        var status = Self.add(query.adding(secret))
        if status == errSecDuplicateItem {
            status = Self.update(query.item, KeychainQuery.attributes(of: secret))
        }
        try Self.check(status, "store a secret in")
    }

    /// Removes a secret. Does nothing when there is none.
    ///
    /// Source: https://developer.apple.com/documentation/security/secitemdelete(_:)
    @concurrent public func remove(_ key: SecretKey) async throws(SecretStorageError) {
        let status = SecItemDelete(KeychainQuery(key: key).item as CFDictionary)
        if status != errSecItemNotFound { try Self.check(status, "remove a secret from") }
    }

    /// Checks that the Keychain responds, by reading a name that is never used.
    public func check() async throws(SecretStorageError) {
        _ = try await read(SecretKey(service: "latchstring", account: "check"))
    }

    /// Source: https://developer.apple.com/documentation/security/secitemadd(_:_:)
    private static func add(_ attributes: [String: Any]) -> OSStatus { SecItemAdd(attributes as CFDictionary, nil) }

    /// Source: https://developer.apple.com/documentation/security/secitemupdate(_:_:)
    private static func update(_ item: [String: Any], _ attributes: [String: Any]) -> OSStatus {
        SecItemUpdate(item as CFDictionary, attributes as CFDictionary)
    }

    private static func check(_ status: OSStatus, _ act: String) throws(SecretStorageError) {
        if let error = SecretStorageError(keychain: status, act) { throw error }
    }
}
