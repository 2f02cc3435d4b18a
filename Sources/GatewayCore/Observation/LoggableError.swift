import Database
import OpenIDConnect

/// An error whose message may be logged: it contains no secret, and nothing that a client sent.
package protocol LoggableError: Error {
    /// What failed, and what to do about it.
    var message: String { get }
}

extension DatabaseError: LoggableError {}

extension GatewayError: LoggableError {}

extension OpenIDConnectError: LoggableError {}
