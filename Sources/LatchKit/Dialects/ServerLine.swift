/// One server as it is asked before there is a session: no token goes along.
///
/// Every request connects as the person wants it: own authorities, certificates, extra headers and proxy included.
public struct ServerLine: Sendable {
    /// Where the server is.
    public let address: ServerAddress
    /// Who asks.
    public let device: Device
    let client: HTTPClient
    private let timeout: @Sendable () -> Duration

    init(
        _ address: ServerAddress, _ client: HTTPClient, _ device: Device,
        timeout: @autoclosure @escaping @Sendable () -> Duration = .seconds(30)
    ) {
        self.address = address
        self.client = client
        self.device = device
        self.timeout = timeout
    }

    /// Sends a request below the address.
    ///
    /// - Returns: Any answer, from whoever gave it; redirects are not followed.
    /// - Throws: ``LatchError`` when nobody answered; `CancellationError`.
    public func send(_ request: DialectRequest) async throws -> ClientResponse {
        let place = request.base ?? address
        return try await send(request, to: try place.url(of: request.path), of: place)
    }

    /// Asks a whole address for JSON, such as metadata that stand beside the server's own paths.
    ///
    /// - Throws: As ``send(_:)``.
    public func get(_ url: String) async throws -> ClientResponse {
        try await send(DialectRequest(.get, "", headers: ["Accept": JSON.mediaType]), to: url, of: address)
    }

    /// The same line to another address, with less patience if need be.
    public func line(to other: ServerAddress, timeout bound: Duration? = nil) -> ServerLine {
        ServerLine(other, client, device, timeout: min(bound ?? timeout(), timeout()))
    }

    private func send(
        _ request: DialectRequest, to url: String, of place: ServerAddress
    ) async throws -> ClientResponse {
        let timeout = timeout()
        return try await LatchError.telling(place) {
            try await client.send(
                ClientRequest(
                    method: request.method, url: url, headers: request.headers, body: request.body,
                    connectTimeout: min(timeout, .seconds(10)), timeout: timeout, maximumBodyBytes: 1 << 20))
        }
    }
}

/// Who answers at an address.
public enum Finding: Sendable {
    /// A server of the family, how it is spoken to, where it is, and what it tells of itself.
    case server(any Dialect, ServerAddress, ServerFeatures)
    /// Somebody else: the sentence says what came instead, and the answer tells more.
    case stranger(String, ClientResponse)
}
