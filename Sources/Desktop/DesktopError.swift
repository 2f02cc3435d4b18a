/// Why the desktop's part of something did not work. Never holds a link: one carries a code.
public struct DesktopError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure, to decide by.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String {
            case programMissing, programFailed, unsafeFolder, cannotListen, taken, nobodyWaits, refused, cannotWrite
        }
        private let base: Base

        /// The program to start is not there.
        public static let programMissing = Code(base: .programMissing)
        /// The program could not be started, or failed.
        public static let programFailed = Code(base: .programFailed)
        /// The folder of the sockets is missing, or others may write or read there.
        public static let unsafeFolder = Code(base: .unsafeFolder)
        /// No socket could be opened.
        public static let cannotListen = Code(base: .cannotListen)
        /// Somebody waits under that name already.
        public static let taken = Code(base: .taken)
        /// No program of this user waits for the link.
        public static let nobodyWaits = Code(base: .nobodyWaits)
        /// The waiting program did not take the link.
        public static let refused = Code(base: .refused)
        /// A file for the desktop could not be written.
        public static let cannotWrite = Code(base: .cannotWrite)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of failure.
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
