/// The reason that a key or a signed text was rejected. The message never contains a key, a signature or signed data.
package struct JOSEError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String { case malformed, unsupported, weak, failed }
        private let base: Base

        /// The data does not have the format that the standard requires.
        package static let malformed = Code(base: .malformed)
        /// The format is valid, but the key type, algorithm or header is not supported.
        package static let unsupported = Code(base: .unsupported)
        /// The key is too short to be secure.
        package static let weak = Code(base: .weak)
        /// OpenSSL failed.
        package static let failed = Code(base: .failed)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of error.
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
