/// Why a key or a signed text was refused; never holds a key, a signature or what was signed.
public struct JOSEError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of mistake, to decide by.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Base: String { case malformed, unsupported, weak, failed }
        private let base: Base

        /// The bytes are not of the form that the standard asks for.
        public static let malformed = Code(base: .malformed)
        /// The form is right, and the kind of key, algorithm or header is none that is spoken here.
        public static let unsupported = Code(base: .unsupported)
        /// The key is too short to be trusted.
        public static let weak = Code(base: .weak)
        /// OpenSSL could not do it.
        public static let failed = Code(base: .failed)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of mistake.
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
