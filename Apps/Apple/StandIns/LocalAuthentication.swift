// A stand-in of what the adapters use of this framework, written from its documentation, to type-check them on Linux.
// It does nothing, proves nothing about an Apple system, and was never run on one.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Source: https://developer.apple.com/documentation/localauthentication/lapolicy
public enum LAPolicy: Int, Sendable { case deviceOwnerAuthenticationWithBiometrics = 1, deviceOwnerAuthentication }

// Source: https://developer.apple.com/documentation/localauthentication/lacontext
public class LAContext: NSObject {
    // The asynchronous form of `evaluatePolicy(_:localizedReason:reply:)`.
    public func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool { false }
    public func invalidate() {}
}

// Source: https://developer.apple.com/documentation/localauthentication/laerror-swift.struct
public struct LAError: Error {
    public enum Code: Int, Sendable {
        case authenticationFailed = -1
        case userCancel = -2
        case userFallback = -3
        case systemCancel = -4
        case passcodeNotSet = -5
        case biometryNotAvailable = -6
        case biometryNotEnrolled = -7
        case biometryLockout = -8
        case appCancel = -9
        case invalidContext = -10
    }

    public let code: Code
    public init(_ code: Code) { self.code = code }
}
