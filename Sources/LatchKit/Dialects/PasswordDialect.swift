import Crypto
import HTTPClient

/// A family whose servers sign people in with e-mail address and password.
package protocol PasswordDialect: Dialect {
    /// Returns the request that signs in with a password.
    func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest
    /// Reads the response to ``passwordSignIn(email:password:device:)``.
    ///
    /// - Throws: ``LatchError`` for every response without a token. Its message names `server`.
    func grant(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant
}
