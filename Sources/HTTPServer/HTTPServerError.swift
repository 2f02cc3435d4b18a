/// Why the server could not start, a certificate not be used, or a file not be served.
public struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Hashable, Sendable {
        private enum Base: Hashable {
            case addressInUse, notPermitted, invalidAddress, noListener, certificate, body, noFile, system
        }
        private let base: Base

        /// Another program listens on the address.
        public static let addressInUse = Code(base: .addressInUse)
        /// The process may not listen there, or not read the file.
        public static let notPermitted = Code(base: .notPermitted)
        /// The address cannot be read or is not one of this machine's.
        public static let invalidAddress = Code(base: .invalidAddress)
        /// The configuration names no address to listen on.
        public static let noListener = Code(base: .noListener)
        /// A certificate or its key is missing, cannot be read, or they are not a pair.
        public static let certificate = Code(base: .certificate)
        /// There is no such regular file below the folder.
        public static let noFile = Code(base: .noFile)
        /// A producer wrote more than its body's length.
        public static let body = Code(base: .body)
        /// The system or libmicrohttpd refused for another reason.
        public static let system = Code(base: .system)
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence for people: act, object, remedy.
    public let message: String
    /// The system's error number, if there was one.
    public let systemError: Int32?

    init(_ code: Code, _ message: String, systemError: Int32? = nil) {
        self.code = code
        self.message = message
        self.systemError = systemError
    }

    /// The message.
    public var description: String { message }
}
