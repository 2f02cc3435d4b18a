/// An error for a request that got no response.
///
/// A response of any status, including 500, is a ``ClientResponse`` and not an error. The message names the server by
/// scheme, host and port only, because paths and queries may contain secrets.
package struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs. Stable.
    package let code: Code
    /// The operation, the problem and the remedy, for people.
    package let message: String
    /// The underlying error. Nil when there is none.
    package let cause: (any Error)?
    /// Whether the error occurred at another origin, to which redirects led. The first origin did respond.
    package let isOtherOrigin: Bool

    /// Creates an error.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil, isOtherOrigin: Bool = false) {
        self.code = code
        self.message = message
        self.cause = cause
        self.isOtherOrigin = isOtherOrigin
    }

    /// The ``message``.
    package var description: String { message }

    /// Whether a connection was established, including its TLS handshake, before the failure.
    package var wasConnected: Bool { (cause as? any TransferFailure)?.wasConnected ?? true }
    /// Whether the connection failed because this process had too many open files.
    package var lacksDescriptors: Bool { (cause as? any TransferFailure)?.lacksDescriptors ?? false }
}

extension TransportError {
    /// The kind of a failure that a caller can distinguish.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case invalidAddress, invalidRequest, nameNotFound, refused, unreachable, timedOut
            case certificate(CertificateProblem)
            case clientCertificate, tls, closedEarly, tooLarge, invalidResponse
            case proxy, tooManyRedirects, redirectRefused, file, fileExists, fileRefused, diskFull, rangeChanged, other
        }

        private let kind: Kind

        /// The address is not an `http` or `https` URL, or contains a user name or password.
        package static let invalidAddress = Code(kind: .invalidAddress)
        /// The method or a header field cannot be sent: it contains a character that would break the message, or it is
        /// set by the client itself, such as `Content-Length`.
        package static let invalidRequest = Code(kind: .invalidRequest)
        /// The host name could not be resolved.
        package static let nameNotFound = Code(kind: .nameNotFound)
        /// The host refused the connection, because nothing listens on the port.
        package static let refused = Code(kind: .refused)
        /// The host is not reachable.
        package static let unreachable = Code(kind: .unreachable)
        /// The connection or the whole exchange exceeded its timeout.
        package static let timedOut = Code(kind: .timedOut)
        /// The server requires a client certificate, or the configured one cannot be used.
        package static let clientCertificate = Code(kind: .clientCertificate)
        /// Client and server could not agree on TLS.
        package static let tls = Code(kind: .tls)
        /// The connection ended before the response was complete.
        package static let closedEarly = Code(kind: .closedEarly)
        /// The response is larger than the limit.
        package static let tooLarge = Code(kind: .tooLarge)
        /// The server did not send a valid HTTP response.
        package static let invalidResponse = Code(kind: .invalidResponse)
        /// The proxy cannot be used: it was not found, refused the connection, or declined the request.
        package static let proxy = Code(kind: .proxy)
        /// The server sent more redirects than ``ClientRequest/Redirects/follow(maximum:)`` allows.
        package static let tooManyRedirects = Code(kind: .tooManyRedirects)
        /// The redirect is never followed: from `https` to `http`, to another scheme, or one that would send the
        /// request body to another origin.
        package static let redirectRefused = Code(kind: .redirectRefused)
        /// A local file could not be read or written.
        package static let file = Code(kind: .file)
        /// A file already exists at the path.
        package static let fileExists = Code(kind: .fileExists)
        /// This user may not write to the folder.
        package static let fileRefused = Code(kind: .fileRefused)
        /// The disk has no space for the file.
        package static let diskFull = Code(kind: .diskFull)
        /// The server's bytes do not continue the bytes in the part.
        static let rangeChanged = Code(kind: .rangeChanged)
        /// Any other failure.
        package static let other = Code(kind: .other)

        /// The server's certificate was not accepted, for the given reason.
        package static func certificate(_ problem: CertificateProblem) -> Code {
            Code(kind: .certificate(problem))
        }

        /// Whether the failure concerns the server or the network, and not this machine or the request.
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

        /// The reason why the server's certificate was not accepted. Nil for every other code.
        package var certificateProblem: CertificateProblem? {
            if case .certificate(let problem) = kind { problem } else { nil }
        }

        /// The name of the code, such as `nameNotFound` or `certificate.expired`.
        package var description: String {
            if let problem = certificateProblem { "certificate.\(problem.rawValue)" } else { "\(kind)" }
        }
    }
}
