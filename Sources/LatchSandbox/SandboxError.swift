/// An error of the sandbox.
package struct SandboxError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String {
            case notLoopback, folder, keys, invalidPort
        }
        private let base: Base

        /// The address is not a loopback address.
        package static let notLoopback = Code(base: .notLoopback)
        /// The temporary folder could not be created.
        package static let folder = Code(base: .folder)
        /// The keys of the provider could not be generated.
        package static let keys = Code(base: .keys)
        /// A port was set for a name that does not exist.
        package static let invalidPort = Code(base: .invalidPort)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of failure.
    package let code: Code
    /// A sentence for people that names the problem and the remedy.
    package let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same as ``message``.
    package var description: String { message }
}
