/// Why a store could not be used; never holds a secret.
public struct SecretStorageError: Error, Sendable, CustomStringConvertible {
    /// The kind of mistake, to decide by.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String { case locked, absent, denied, damaged, wrongPassphrase, io }
        private let base: Base

        /// The store is there and locked: what it holds cannot be known until a person unlocks it.
        public static let locked = Code(base: .locked)
        /// The store is not there: no bus, no service, or a key file that is gone.
        public static let absent = Code(base: .absent)
        /// The store refuses us, or its files are open to others.
        public static let denied = Code(base: .denied)
        /// The sealed file was changed or cut off.
        public static let damaged = Code(base: .damaged)
        /// The passphrase or key file is not the one that the file was sealed with.
        public static let wrongPassphrase = Code(base: .wrongPassphrase)
        /// The disk or the bus failed, or did not answer in time.
        public static let io = Code(base: .io)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of mistake.
    public let code: Code
    /// What happened, to what, and what to do.
    public let message: String

    /// Makes an error, also for stores of other modules.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
