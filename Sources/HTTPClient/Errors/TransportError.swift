/// Why a request brought no answer.
///
/// An answer of any status, 500 as well, is not an error: it is a ``ClientResponse``. The message names the server by
/// scheme, host and port only: paths and queries may hold secrets.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it was; stable, for programs.
    public let code: Code
    /// What was tried, with what, what went wrong and what to do about it, for people.
    public let message: String
    /// The error below, when there was one.
    public let cause: (any Error)?
    /// Whether it is of another origin, to which redirects led: the first one did answer.
    public let isElsewhere: Bool

    /// Makes an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil, isElsewhere: Bool = false) {
        self.code = code
        self.message = message
        self.cause = cause
        self.isElsewhere = isElsewhere
    }

    /// The message.
    public var description: String { message }

    /// Whether a connection stood, its TLS handshake included, before it failed.
    public var wasConnected: Bool { (cause as? CurlFailure)?.wasConnected ?? true }
    /// Whether there was no connection because this process had too many files open.
    public var lacksDescriptors: Bool { (cause as? CurlFailure)?.lacksDescriptors ?? false }
}

extension TransportError {
    /// The kinds of failure that a caller can tell apart.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case invalidAddress, invalidRequest, nameNotFound, refused, unreachable, timedOut
            case certificate(CertificateProblem)
            case clientCertificate, tls, closedEarly, tooLarge, invalidResponse
            case proxy, tooManyRedirects, redirectRefused, file, fileExists, fileRefused, diskFull, rangeChanged, other
        }

        private let kind: Kind

        /// The address is no `http` or `https` URL, or carries a user name or password.
        public static let invalidAddress = Code(kind: .invalidAddress)
        /// The method or a header cannot be sent: it holds a character that would break the message, or is the
        /// client's own business, such as `Content-Length`.
        public static let invalidRequest = Code(kind: .invalidRequest)
        /// The host's name has no address.
        public static let nameNotFound = Code(kind: .nameNotFound)
        /// The host answers, and nothing listens on that port.
        public static let refused = Code(kind: .refused)
        /// There is no way to the host.
        public static let unreachable = Code(kind: .unreachable)
        /// The connection or the whole exchange took longer than allowed.
        public static let timedOut = Code(kind: .timedOut)
        /// The server wants a client certificate, or the configured one cannot be used.
        public static let clientCertificate = Code(kind: .clientCertificate)
        /// The two ends could not agree on TLS.
        public static let tls = Code(kind: .tls)
        /// The connection ended before the whole response had come.
        public static let closedEarly = Code(kind: .closedEarly)
        /// The response is larger than allowed.
        public static let tooLarge = Code(kind: .tooLarge)
        /// What came is no HTTP response.
        public static let invalidResponse = Code(kind: .invalidResponse)
        /// The proxy cannot be used: not found, refused, or it declined.
        public static let proxy = Code(kind: .proxy)
        /// More redirects than ``ClientRequest/Redirects/follow(maximum:)`` allows.
        public static let tooManyRedirects = Code(kind: .tooManyRedirects)
        /// A redirect that is never followed: from `https` to `http`, to another scheme, or one that would send the
        /// request's body to another origin.
        public static let redirectRefused = Code(kind: .redirectRefused)
        /// A local file could not be read or written.
        public static let file = Code(kind: .file)
        /// Something is at the file's place already.
        public static let fileExists = Code(kind: .fileExists)
        /// The folder may not be written to.
        public static let fileRefused = Code(kind: .fileRefused)
        /// There is no room for the file.
        public static let diskFull = Code(kind: .diskFull)
        /// What came is not the rest of what was there.
        static let rangeChanged = Code(kind: .rangeChanged)
        /// Anything else.
        public static let other = Code(kind: .other)

        /// The server's certificate was not accepted, and why.
        public static func certificate(_ problem: CertificateProblem) -> Code {
            Code(kind: .certificate(problem))
        }

        /// Whether it says something of the other end or the way there, and nothing of this machine or of what was asked.
        var isOfNetwork: Bool {
            switch kind {
            case .nameNotFound, .refused, .unreachable, .timedOut, .certificate, .clientCertificate, .tls, .closedEarly,
                .invalidResponse, .proxy, .other:
                true
            case .invalidAddress, .invalidRequest, .tooLarge, .tooManyRedirects, .redirectRefused, .file, .fileExists,
                .fileRefused, .diskFull, .rangeChanged:
                false
            }
        }

        /// Why the server's certificate was not accepted; nil for every other code.
        public var certificateProblem: CertificateProblem? {
            if case .certificate(let problem) = kind { problem } else { nil }
        }

        /// The code's name, as `nameNotFound` or `certificate.expired`.
        public var description: String {
            if let problem = certificateProblem { "certificate.\(problem.rawValue)" } else { "\(kind)" }
        }
    }
}
