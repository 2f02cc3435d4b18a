// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchKit
import Security

/// The dictionaries of the calls about one generic password in the Keychain.
///
/// The password is in the data protection keychain, also on macOS, is readable only while the device is unlocked, and
/// never leaves the device: it is neither synchronised nor restored on another one.
///
/// Source: TT-5; https://developer.apple.com/documentation/security/ksecclassgenericpassword
struct KeychainQuery {
    /// The name of the secret. Its id is part of the account, because the Keychain knows only service and account.
    let key: SecretKey

    /// What names the item.
    ///
    /// Source: https://developer.apple.com/documentation/security/ksecusedataprotectionkeychain
    /// and https://developer.apple.com/documentation/security/ksecattrsynchronizable
    var item: [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: key.service,
            kSecAttrAccount as String: key.flat.account,
            kSecAttrSynchronizable as String: false,
            kSecUseDataProtectionKeychain as String: true,
        ]
    }

    /// The item, and that its bytes are wanted.
    ///
    /// Source: https://developer.apple.com/documentation/security/ksecreturndata
    var reading: [String: Any] {
        item.merging([kSecReturnData as String: true, kSecMatchLimit as String: kSecMatchLimitOne]) { $1 }
    }

    /// The item with a new secret.
    func adding(_ secret: Secret) -> [String: Any] { item.merging(Self.attributes(of: secret)) { $1 } }

    /// What a new secret changes in an item that exists.
    ///
    /// Source: https://developer.apple.com/documentation/security/ksecattraccessiblewhenunlockedthisdeviceonly
    static func attributes(of secret: Secret) -> [String: Any] {
        [
            kSecValueData as String: secret.withBytes { Data($0) },
            kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
        ]
    }
}
