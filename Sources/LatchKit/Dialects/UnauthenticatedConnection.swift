import HTTPClient
import HTTPMessages

/// Sends requests without a token to one server, as discovery and sign-in do.
///
/// Requests use the connection settings of the person: own certificate authorities, client certificates, extra header
/// fields and proxy.
package struct UnauthenticatedConnection: Sendable {
    /// The address of the server.
    package let address: ServerAddress
    /// The device that the requests come from.
    package let device: Device
    let client: HTTPClient
    private let proofs: ProofSigner
    private let timeout: @Sendable () -> Duration

    init(
        to address: ServerAddress, client: HTTPClient, device: Device, proofs: ProofSigner = ProofSigner(),
        timeout: @autoclosure @escaping @Sendable () -> Duration = .seconds(30)
    ) {
        self.address = address
        self.client = client
        self.device = device
        self.proofs = proofs
        self.timeout = timeout
    }

    /// Sends a request below the address.
    ///
    /// - Returns: The response, whichever server or proxy it is from. Redirects are not followed.
    /// - Throws: ``LatchError`` when there is no response; `CancellationError`.
    package func send(_ request: DialectRequest) async throws -> ClientResponse {
        let place = request.base ?? address
        return try await send(request, to: try place.url(of: request.path), of: place)
    }

    /// Requests JSON from a complete URL, such as metadata outside the server's own paths.
    ///
    /// - Throws: As ``send(_:)``.
    package func get(_ url: String) async throws -> ClientResponse {
        try await send(DialectRequest(.get, "", headers: ["Accept": JSON.mediaType]), to: url, of: address)
    }

    /// Returns a connection with the same settings whose requests prove the possession of a key.
    func proving(_ proofs: ProofSigner) -> UnauthenticatedConnection {
        UnauthenticatedConnection(to: address, client: client, device: device, proofs: proofs, timeout: timeout())
    }

    /// Returns a connection with the same settings to another address, with a shorter timeout if one is given.
    package func connection(to other: ServerAddress, timeout bound: Duration? = nil) -> UnauthenticatedConnection {
        UnauthenticatedConnection(
            to: other, client: client, device: device, proofs: proofs, timeout: min(bound ?? timeout(), timeout()))
    }

    private func send(
        _ request: DialectRequest, to url: String, of place: ServerAddress
    ) async throws -> ClientResponse {
        let timeout = timeout()
        return try await proofs.sending {
            var headers = request.headers
            for field in proofs.fields(request.method, url, token: nil) { headers[field.name] = field.value }
            return ClientRequest(
                method: request.method, url: url, headers: headers, body: request.body,
                connectTimeout: min(timeout, .seconds(10)), timeout: timeout,
                maximumBodyBytes: request.maximumBodyBytes ?? 1 << 20)
        } by: { message in
            try await LatchError.converting(place) { try await client.send(message) }
        }
    }
}

/// What discovery found at an address.
package enum DiscoveryResult: Sendable {
    /// A server of the family: its dialect, its address, and the features that it announces.
    case server(any Dialect, ServerAddress, ServerFeatures)
    /// Something else. The sentence says what responded instead; the response is given as well.
    case notRecognized(String, ClientResponse)
}
