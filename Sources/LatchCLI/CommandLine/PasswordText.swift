import LatchKit

/// What every password must be before it is sent anywhere.
enum PasswordText {
    /// The password, if it can be one.
    ///
    /// - Parameters:
    ///   - password: What was typed or read.
    ///   - outcome: What became of the command otherwise, as a sentence.
    /// - Returns: `password` itself.
    /// - Throws: ``LatchError/Code/invalidInput`` when it is empty or no text.
    static func checked(_ password: Secret, otherwise outcome: String) throws(LatchError) -> Secret {
        guard password.count > 0 else { throw LatchError(.invalidInput, "The password is empty. \(outcome)") }
        // The wire carries text; bytes that are none would be another password there.
        guard password.withBytes({ String(validating: $0, as: UTF8.self) != nil }) else {
            throw LatchError(
                .invalidInput,
                "The password is not UTF-8 text. \(outcome) Check the terminal's or the file's encoding.")
        }
        return password
    }
}
