import Crypto
import HTTPClient
import ServerMessages

/// A family whose servers let people register an account.
///
/// Source: docs/protocols/onyx.md, Registration.
package protocol RegistrationDialect: PasswordDialect {
    /// Returns the request that registers an account.
    func registration(email: EmailAddress, password: Secret) -> DialectRequest
    /// Reads the response to ``registration(email:password:)``. Returns normally when the account was created.
    ///
    /// - Throws: ``LatchError`` for every response that does not confirm the account.
    func registered(by response: ClientResponse, at server: ServerAddress) throws(LatchError)
}
