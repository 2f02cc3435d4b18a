import HTTPClient
import HTTPMessages
import ServerMessages

/// A location of the API of an Immich server: the default below its address, or the one that the server announces.
///
/// Source: IM-3; docs/protocols/immich.md, Finding the server.
struct ImmichEndpoint: Sendable, Equatable {
    /// The address of the server with the API.
    var address: ServerAddress
    /// The path of the API below the address.
    var api: String

    /// Returns the default location, `/api` below the address.
    static func usual(_ address: ServerAddress) -> Self { Self(address: address, api: ImmichDialect.usualAPI) }

    /// Reads the response to `GET /.well-known/immich`. Nil when it contains no usable location.
    ///
    /// An endpoint that begins with a slash is below the requested address. Any other endpoint is a separate address,
    /// possibly on another host. It must be encrypted if the requested address is.
    init?(_ response: ClientResponse, from asked: ServerAddress) {
        guard response.status.isSuccess, let known = try? JSON.decode(ImmichWellKnown.self, from: response.body) else {
            return nil
        }
        var endpoint = known.api.endpoint[...]
        while endpoint.hasSuffix("/") { endpoint.removeLast() }
        if known.api.endpoint.hasPrefix("/") {
            guard !endpoint.contains("?"), (try? asked.url(of: endpoint + "/server/ping")) != nil else { return nil }
            self.init(address: asked, api: String(endpoint))
            return
        }
        guard endpoint.contains("://"), let address = try? ServerAddress(String(endpoint)),
            address.isEncrypted || !asked.isEncrypted
        else { return nil }
        // `ServerAddress` removes a trailing `/api`.
        self.init(address: address, api: endpoint.lowercased().hasSuffix("/api") ? ImmichDialect.usualAPI : "")
    }

    init(address: ServerAddress, api: String) {
        self.address = address
        self.api = api
    }
}
