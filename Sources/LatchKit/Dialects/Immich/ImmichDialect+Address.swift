import HTTPClient
import HTTPMessages
import ServerMessages

extension ImmichDialect: AddressAnnouncingDialect {
    /// The request whose response contains the address: `GET /server/config`.
    package var announcement: DialectRequest { request(.get, "/server/config") }

    /// Returns the address in `externalDomain`.
    ///
    /// Source: docs/protocols/immich.md, Finding the server.
    package func announcedAddress(in response: ClientResponse) -> ServerAddress? {
        guard response.status.isSuccess, let config = try? JSON.decode(ImmichConfig.self, from: response.body),
            let domain = config.externalDomain, !domain.isEmpty
        else { return nil }
        return try? ServerAddress(domain)
    }
}
