/// Why a WebSocket connection cannot continue.
package struct WebSocketError: Error, Equatable, CustomStringConvertible {
    /// The kinds of errors.
    package enum Code: Sendable {
        /// The peer violated the protocol, or a text is not UTF-8.
        case malformed
        /// A message of the peer is larger than allowed, or the peer does not read what it is sent.
        case tooLarge
        /// The connection is closed.
        case closed
    }

    /// The kind of the error.
    package let code: Code
    /// A sentence that names the error.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
