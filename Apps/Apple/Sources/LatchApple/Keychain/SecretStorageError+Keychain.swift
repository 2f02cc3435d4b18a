// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import Security

extension SecretStorageError {
    /// Makes the error for a result code of the Keychain. Nil when the call succeeded.
    ///
    /// Source: https://developer.apple.com/documentation/security/security-framework-result-codes
    init?(keychain status: OSStatus, _ act: String) {
        let (code, remedy): (Code, String)
        switch status {
        case errSecSuccess: return nil
        case errSecInteractionNotAllowed: (code, remedy) = (.locked, "Unlock the device and try again.")
        case errSecNotAvailable: (code, remedy) = (.absent, "Restart the device and try again.")
        case errSecMissingEntitlement:
            (code, remedy) = (.denied, "The app lacks the entitlement for Keychain access groups; reinstall it.")
        case errSecAuthFailed, errSecUserCanceled: (code, remedy) = (.denied, "Allow the access and try again.")
        default: (code, remedy) = (.io, "Try again.")
        }
        self.init(code, "Could not \(act) the Keychain (error \(status)). \(remedy)")
    }
}
