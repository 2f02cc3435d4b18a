/// What went wrong in this module; never holds a key, a password or a plaintext.
public struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of mistake, to decide by.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String, Sendable {
            case tooLong, tooShort, invalidKey, invalidParameters, cannotOpen, outOfMemory
        }
        private let base: Base

        /// The password has more than ``PasswordHash/maximumPasswordCount`` bytes.
        public static let tooLong = Code(base: .tooLong)
        /// A salt, box or output has too few or too many bytes.
        public static let tooShort = Code(base: .tooShort)
        /// The key has not ``Sealing/keyCount`` bytes.
        public static let invalidKey = Code(base: .invalidKey)
        /// Argon2id does not take these parameters.
        public static let invalidParameters = Code(base: .invalidParameters)
        /// The box was not made with this key and context, or was changed since.
        public static let cannotOpen = Code(base: .cannotOpen)
        /// The memory that Argon2id needs is not to be had.
        public static let outOfMemory = Code(base: .outOfMemory)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of mistake.
    public let code: Code
    /// What happened, to what, and what to do.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
