/// An error of a secret store. Its message never contains a secret.
public struct SecretStorageError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String {
            case locked, absent, denied, damaged, lockDamaged, wrongPassphrase, pinRequired, io
        }
        private let base: Base

        /// The store is locked. Its contents are unknown until a person unlocks it.
        public static let locked = Code(base: .locked)
        /// The store is not available: there is no bus, no service, or the key file is missing.
        public static let absent = Code(base: .absent)
        /// The store refused access, or its files are accessible to other users.
        public static let denied = Code(base: .denied)
        /// The sealed file was modified or truncated.
        public static let damaged = Code(base: .damaged)
        /// The record of the lock of this device was modified, or a later version wrote it.
        public static let lockDamaged = Code(base: .lockDamaged)
        /// The passphrase or key file does not match the sealed file.
        public static let wrongPassphrase = Code(base: .wrongPassphrase)
        /// The lock of this device has a PIN, which must be entered first.
        public static let pinRequired = Code(base: .pinRequired)
        /// The disk or the bus failed, or did not respond in time.
        public static let io = Code(base: .io)

        /// The name of the code.
        public var description: String { base.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// What failed and what to do about it.
    public let message: String

    /// Creates an error. Public for stores in other modules.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same as ``message``.
    public var description: String { message }
}
