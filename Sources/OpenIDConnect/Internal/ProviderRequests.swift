import FoundationEssentials
import HTTPClient
import Wire

/// Requests to one provider: bounded in time and size, and no redirect followed, since it could lead a secret elsewhere.
struct ProviderRequests: Sendable {
    let issuer: String
    let client: HTTPClient
    let timeout: Duration

    /// The largest answer, in bytes.
    static let maximumBodyBytes = 262_144

    /// Asks for a document that everybody may read, and takes nothing but 200.
    func document(_ url: String, named what: String) async throws -> [UInt8] {
        let answer = try await send(ClientRequest(url: url, headers: ["Accept": JSON.mediaType]), named: what)
        guard answer.status == .ok else { throw unexpected(answer, named: what) }
        return answer.body
    }

    /// Sends a request; an answer of any status but a redirect or 5xx comes back.
    func send(_ request: ClientRequest, named what: String) async throws -> ClientResponse {
        var request = request
        request.timeout = timeout
        request.connectTimeout = timeout
        request.redirects = .none
        request.maximumBodyBytes = Self.maximumBodyBytes
        let answer: ClientResponse
        do {
            answer = try await client.send(request)
        } catch let error as TransportError {
            throw failure(error, named: what)
        }
        guard !answer.status.isRedirect, answer.status.rawValue < 500 else { throw unexpected(answer, named: what) }
        return answer
    }

    /// An answer that cannot be used, told by its status.
    func unexpected(_ answer: ClientResponse, named what: String) -> OpenIDConnectError {
        let start = "Could not use \(what) of '\(issuer)': "
        if answer.status.isRedirect {
            return OpenIDConnectError(
                .badAnswer, start + "it answers with a redirect, which is not followed; check the issuer's address.")
        }
        if answer.status.rawValue >= 500 || answer.status == .tooManyRequests {
            return OpenIDConnectError(
                .unreachable, start + "it answers with status \(answer.status), out of order; try again later.")
        }
        return OpenIDConnectError(
            .badAnswer, start + "it answers with status \(answer.status); check the issuer and the client there.")
    }

    private func failure(_ error: TransportError, named what: String) -> OpenIDConnectError {
        let isAnswer = [.tooLarge, .invalidResponse, .invalidAddress].contains(error.code)
        return OpenIDConnectError(
            isAnswer ? .badAnswer : .unreachable,
            "Could not get \(what) of the identity provider '\(issuer)': \(error.message)", cause: error)
    }
}
