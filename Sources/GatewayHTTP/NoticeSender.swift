import HTTPClient
package import HTTPMessages

/// Sends short forms to addresses that administrators configured.
///
/// Redirects are not followed, and responses are read only up to 64 KiB.
package struct NoticeSender: Sendable {
    private static let timeout = Duration.seconds(10)

    private let client: HTTPClient

    /// Creates a sender.
    ///
    /// - Throws: `TransportError` when the system's certificate authorities cannot be read.
    package init() throws {
        client = try HTTPClient()
    }

    /// Posts a form. Returns the status of the response, or nil when there is none within 10 seconds.
    package func post(_ fields: [(String, String)], to address: String) async -> HTTPStatus? {
        let request = ClientRequest(
            method: .post, url: address, headers: ["Content-Type": FormURLEncoded.mediaType],
            body: Array(FormURLEncoded.encode(fields).utf8), connectTimeout: Self.timeout, timeout: Self.timeout,
            maximumBodyBytes: 65_536)
        return try? await client.send(request).status
    }

    /// Closes all connections.
    package func close() async {
        await client.close()
    }
}
