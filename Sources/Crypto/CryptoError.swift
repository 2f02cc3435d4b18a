/// An error of this module. Its message never contains a key, a password or plaintext.
package struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String, Sendable {
            case tooLong, tooShort, invalidKey, invalidParameters, cannotOpen, outOfMemory
        }
        private let base: Base

        /// The password has more than ``PasswordHash/maximumPasswordCount`` bytes.
        package static let tooLong = Code(base: .tooLong)
        /// A salt, box or output has too few or too many bytes.
        package static let tooShort = Code(base: .tooShort)
        /// The key does not have ``Sealing/keyCount`` bytes.
        package static let invalidKey = Code(base: .invalidKey)
        /// The parameters are not valid for Argon2id.
        package static let invalidParameters = Code(base: .invalidParameters)
        /// The box was sealed with a different key or context, or was modified.
        package static let cannotOpen = Code(base: .cannotOpen)
        /// The memory that Argon2id needs is not available.
        package static let outOfMemory = Code(base: .outOfMemory)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of error.
    package let code: Code
    /// What failed and what to do about it.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same as ``message``.
    package var description: String { message }
}
