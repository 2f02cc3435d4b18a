/// Why a part of the sandbox could not be had.
public struct SandboxError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String {
            case notLoopback, folder, keys, invalidPort
        }
        private let base: Base

        /// The address is not one that only this machine reaches.
        public static let notLoopback = Code(base: .notLoopback)
        /// The temporary folder could not be made.
        public static let folder = Code(base: .folder)
        /// The provider's keys could not be made.
        public static let keys = Code(base: .keys)
        /// The port is for something that there is not.
        public static let invalidPort = Code(base: .invalidPort)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence for a person: what was asked, of what, and what to do.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
