/// An error of this module. Its message never contains a key, a password or plaintext.
public struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String, Sendable {
            case tooLong, tooShort, invalidKey, invalidParameters, cannotOpen, outOfMemory
        }
        private let base: Base

        /// The password has more than ``PasswordHash/maximumPasswordCount`` bytes.
        public static let tooLong = Code(base: .tooLong)
        /// A salt, box or output has too few or too many bytes.
        public static let tooShort = Code(base: .tooShort)
        /// The key does not have ``Sealing/keyCount`` bytes.
        public static let invalidKey = Code(base: .invalidKey)
        /// The parameters are not valid for Argon2id.
        public static let invalidParameters = Code(base: .invalidParameters)
        /// The box was sealed with a different key or context, or was modified.
        public static let cannotOpen = Code(base: .cannotOpen)
        /// The memory that Argon2id needs is not available.
        public static let outOfMemory = Code(base: .outOfMemory)

        /// The name of the code.
        public var description: String { base.rawValue }
    }

    /// The kind of error.
    public let code: Code
    /// What failed and what to do about it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same as ``message``.
    public var description: String { message }
}
