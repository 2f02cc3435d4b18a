/// An error of the desktop integration. Its message never contains a link, because links contain authorization codes.
package struct DesktopError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String {
            case programMissing, programFailed, unsafeFolder, cannotListen, taken, noReceiver, refused, cannotWrite
            case authenticationUnavailable, authenticationDenied, authenticationUnanswered
        }
        private let base: Base

        /// The program to start does not exist.
        package static let programMissing = Code(base: .programMissing)
        /// The program could not be started, or it failed.
        package static let programFailed = Code(base: .programFailed)
        /// The folder of the sockets is missing, or other users have access to it.
        package static let unsafeFolder = Code(base: .unsafeFolder)
        /// The socket could not be opened.
        static let cannotListen = Code(base: .cannotListen)
        /// Another program already waits under that name.
        package static let taken = Code(base: .taken)
        /// No program of this user waits for the link.
        package static let noReceiver = Code(base: .noReceiver)
        /// The waiting program did not accept the link.
        package static let refused = Code(base: .refused)
        /// A desktop entry or unit file could not be written.
        static let cannotWrite = Code(base: .cannotWrite)

        /// The system cannot ask the person to authenticate.
        package static let authenticationUnavailable = Code(base: .authenticationUnavailable)
        /// The system did not accept what the person entered, or does not allow the action.
        package static let authenticationDenied = Code(base: .authenticationDenied)
        /// The person dismissed the question of the system, or did not answer it in time.
        package static let authenticationUnanswered = Code(base: .authenticationUnanswered)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of failure.
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
