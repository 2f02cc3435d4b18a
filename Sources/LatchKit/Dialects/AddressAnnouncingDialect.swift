import HTTPClient

/// A family whose servers announce their public address.
package protocol AddressAnnouncingDialect: Dialect {
    /// The request whose response contains the address.
    var announcement: DialectRequest { get }
    /// Reads the response to ``announcement``. Nil when the server announces no valid address.
    func announcedAddress(in response: ClientResponse) -> ServerAddress?
}
