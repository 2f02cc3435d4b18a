import Crypto
import LatchKit

/// The check that every password must pass before it is sent.
enum PasswordText {
    /// Returns a password if it is valid.
    ///
    /// - Parameters:
    ///   - password: The password as typed or read.
    ///   - outcome: A sentence for the error, about the result of the command.
    /// - Returns: `password` itself.
    /// - Throws: ``LatchError/Code/invalidInput`` when the password is empty or not UTF-8.
    static func checked(_ password: Secret, otherwise outcome: String) throws(LatchError) -> Secret {
        guard password.count > 0 else { throw LatchError(.invalidInput, "The password is empty. \(outcome)") }
        // Requests carry text. Bytes that are not valid UTF-8 would become another password.
        guard password.withBytes({ String(validating: $0, as: UTF8.self) != nil }) else {
            throw LatchError(
                .invalidInput,
                "The password is not UTF-8 text. \(outcome) Check the terminal's or the file's encoding.")
        }
        return password
    }
}
