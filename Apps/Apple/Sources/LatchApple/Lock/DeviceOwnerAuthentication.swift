// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import LatchKit
import LocalAuthentication

/// Face ID, Touch ID or the passcode of the device. Pass it as `SystemAuthentication(_:)`.
///
/// Source: IM-15; https://developer.apple.com/documentation/localauthentication/lacontext
public struct DeviceOwnerAuthentication: SystemAuthenticating {
    /// The sentence that the system shows with the question.
    public static let reason = "unlock your accounts"

    /// May be sent to another thread: `invalidate()` is documented to stop an evaluation that is running.
    private struct Question: @unchecked Sendable {
        private let context = LAContext()

        /// Source: https://developer.apple.com/documentation/localauthentication/lacontext/evaluatepolicy(_:localizedreason:reply:)
        func ask() async throws {
            _ = try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: reason)
        }

        /// Source: https://developer.apple.com/documentation/localauthentication/lacontext/invalidate()
        func close() { context.invalidate() }
    }

    /// Makes a question. Nobody is asked yet.
    public init() {}

    /// Asks the person. Cancelling the task closes the question.
    public func authenticate() async throws {
        let question = Question()
        do {
            try await withTaskCancellationHandler {
                try await question.ask()
            } onCancel: {
                question.close()
            }
        } catch let error as LAError {
            throw Self.error(for: error.code)
        }
        try Task.checkCancellation()
    }

    /// Returns the error for a code of the system.
    ///
    /// Source: https://developer.apple.com/documentation/localauthentication/laerror-swift.struct/code
    static func error(for code: LAError.Code) -> any Error {
        switch code {
        case .appCancel: CancellationError()
        case .userCancel, .systemCancel:
            LatchError(
                .systemAuthenticationUnanswered, "The question of the system was not answered. Unlock again.")
        case .authenticationFailed, .biometryLockout:
            LatchError(.systemAuthenticationDenied, "The system did not recognize you. Try again.")
        default:
            LatchError(
                .systemAuthenticationUnavailable,
                "This device cannot authenticate you. Set a passcode in its settings, or use a PIN.")
        }
    }
}
