/// An error of the sandbox.
public struct SandboxError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String {
            case notLoopback, folder, keys, invalidPort
        }
        private let base: Base

        /// The address is not a loopback address.
        public static let notLoopback = Code(base: .notLoopback)
        /// The temporary folder could not be created.
        public static let folder = Code(base: .folder)
        /// The keys of the provider could not be generated.
        public static let keys = Code(base: .keys)
        /// A port was set for a name that does not exist.
        public static let invalidPort = Code(base: .invalidPort)

        /// The name of the code.
        public var description: String { base.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence for people that names the problem and the remedy.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same as ``message``.
    public var description: String { message }
}
