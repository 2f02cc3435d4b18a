/// An error of the desktop integration. Its message never contains a link, because links contain authorization codes.
public struct DesktopError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String {
            case programMissing, programFailed, unsafeFolder, cannotListen, taken, nobodyWaits, refused, cannotWrite
        }
        private let base: Base

        /// The program to start does not exist.
        public static let programMissing = Code(base: .programMissing)
        /// The program could not be started, or it failed.
        public static let programFailed = Code(base: .programFailed)
        /// The folder of the sockets is missing, or other users have access to it.
        public static let unsafeFolder = Code(base: .unsafeFolder)
        /// The socket could not be opened.
        public static let cannotListen = Code(base: .cannotListen)
        /// Another program already waits under that name.
        public static let taken = Code(base: .taken)
        /// No program of this user waits for the link.
        public static let nobodyWaits = Code(base: .nobodyWaits)
        /// The waiting program did not accept the link.
        public static let refused = Code(base: .refused)
        /// A desktop entry or unit file could not be written.
        public static let cannotWrite = Code(base: .cannotWrite)

        /// The name of the code.
        public var description: String { base.rawValue }
    }

    /// The kind of failure.
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
