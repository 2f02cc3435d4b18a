/// Where the API of an Immich server may be, as its address alone or the server itself says.
///
/// Source: IM-3; contract of Immich, b.12.
struct ImmichPlace: Sendable, Equatable {
    /// The server of the API.
    var address: ServerAddress
    /// The API's path below it.
    var api: String

    /// `/api` below the address.
    static func usual(_ address: ServerAddress) -> Self { Self(address: address, api: ImmichDialect.usualAPI) }

    /// What the answer to `GET /.well-known/immich` says; nil when it is none.
    ///
    /// An endpoint that begins with a slash is below the address that was asked; another one is an address of its own,
    /// which may be another host, but not without encryption where the first one has it.
    init?(_ answer: ClientResponse, from asked: ServerAddress) {
        guard answer.status.isSuccess, let known = try? JSON.decode(ImmichWellKnown.self, from: answer.body) else {
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
        // An address drops the `/api` at its end.
        self.init(address: address, api: endpoint.lowercased().hasSuffix("/api") ? ImmichDialect.usualAPI : "")
    }

    init(address: ServerAddress, api: String) {
        self.address = address
        self.api = api
    }
}
