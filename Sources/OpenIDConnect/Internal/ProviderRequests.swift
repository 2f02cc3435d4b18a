import FoundationEssentials
import HTTPClient
import HTTPMessages

/// Sends requests to one provider, limited in time and size. Redirects are not followed, because they could send a
/// secret elsewhere.
struct ProviderRequests: Sendable {
    let issuer: String
    let client: HTTPClient
    let timeout: Duration

    /// The maximum size of a response body, in bytes.
    static let maximumBodyBytes = 262_144

    /// Fetches a public document. Accepts only status 200.
    func document(_ url: String, named what: String) async throws -> [UInt8] {
        let response = try await send(ClientRequest(url: url, headers: ["Accept": JSON.mediaType]), named: what)
        guard response.status == .ok else { throw unexpected(response, named: what) }
        return response.body
    }

    /// Sends a request. Returns a response with any status except redirects and 5xx, which throw.
    func send(_ request: ClientRequest, named what: String) async throws -> ClientResponse {
        var request = request
        request.timeout = timeout
        request.connectTimeout = timeout
        request.redirects = .none
        request.maximumBodyBytes = Self.maximumBodyBytes
        let response: ClientResponse
        do {
            response = try await client.send(request)
        } catch let error as TransportError {
            throw failure(error, named: what)
        }
        guard !response.status.isRedirect, response.status.rawValue < 500 else {
            throw unexpected(response, named: what)
        }
        return response
    }

    /// Returns the error for an unusable response, by its status.
    func unexpected(_ response: ClientResponse, named what: String) -> OpenIDConnectError {
        let start = "Could not use \(what) of '\(issuer)': "
        if response.status.isRedirect {
            return OpenIDConnectError(
                .invalidResponse,
                start + "it responds with a redirect, which is not followed; check the issuer's address.")
        }
        if response.status.rawValue >= 500 || response.status == .tooManyRequests {
            return OpenIDConnectError(
                .unreachable, start + "it fails with status \(response.status); try again later.")
        }
        return OpenIDConnectError(
            .invalidResponse,
            start + "it responds with status \(response.status); check the issuer and the client there.")
    }

    private func failure(_ error: TransportError, named what: String) -> OpenIDConnectError {
        let isAnswer = [.tooLarge, .invalidResponse, .invalidAddress].contains(error.code)
        return OpenIDConnectError(
            isAnswer ? .invalidResponse : .unreachable,
            "Could not reach \(what) of the identity provider '\(issuer)': \(error.message)", cause: error)
    }
}
