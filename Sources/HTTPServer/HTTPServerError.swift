/// An error of starting the server, using a certificate or serving a file.
package struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: Hashable, Sendable {
        private enum Base: Hashable {
            case addressInUse, notPermitted, invalidAddress, noListener, certificate, body, noFile, system
        }
        private let base: Base

        /// Another program already listens on the address.
        package static let addressInUse = Code(base: .addressInUse)
        /// The process may not listen on the address, or may not read the file.
        static let notPermitted = Code(base: .notPermitted)
        /// The address is invalid or does not belong to this machine.
        package static let invalidAddress = Code(base: .invalidAddress)
        /// The configuration contains no address to listen on.
        static let noListener = Code(base: .noListener)
        /// A certificate or its key is missing or unreadable, or they do not belong together.
        package static let certificate = Code(base: .certificate)
        /// There is no such regular file below the folder.
        package static let noFile = Code(base: .noFile)
        /// A producer wrote more bytes than the length of its body.
        package static let body = Code(base: .body)
        /// The system or libmicrohttpd failed for another reason.
        package static let system = Code(base: .system)
    }

    /// The kind of failure.
    package let code: Code
    /// One sentence for people: the operation, its object and the remedy.
    package let message: String
    /// The system's error number. Nil when there is none.
    package let systemError: Int32?

    init(_ code: Code, _ message: String, systemError: Int32? = nil) {
        self.code = code
        self.message = message
        self.systemError = systemError
    }

    /// The ``message``.
    package var description: String { message }
}
