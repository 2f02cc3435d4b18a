import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import OpenIDConnect
import Synchronization

/// Signs the proofs of possession of one session, with a nonce where the server asked for one.
///
/// Without a key it does nothing: the tokens are bearer tokens then. The key is part of the session's entry in the secret
/// store, and the nonces are in memory only.
///
/// Source: RFC 9449 §4, §8 and §9.
final class ProofSigner: Sendable {
    private struct State {
        /// The key as stored, to notice another one.
        var stored: Secret?
        var key: DPoPKey?
        /// The last nonce of each origin.
        var nonces: [String: String] = [:]
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Date

    /// The maximum number of origins whose nonces are kept.
    private static let maximumOrigins = 16
    /// The maximum length of a nonce, in bytes.
    private static let maximumNonceCount = 1_024

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: The key. Default: none yet.
    ///   - now: The clock.
    init(_ key: DPoPKey? = nil, now: @escaping @Sendable () -> Date = { Date() }) {
        state = Mutex(State(key: key))
        self.now = now
    }

    /// Uses the key of a session. Nil for a session whose token needs no proof.
    func use(_ stored: Secret?) {
        state.withLock { state in
            guard state.stored != stored else { return }
            state = State(stored: stored, key: stored.flatMap { try? DPoPKey(pem: $0) }, nonces: state.nonces)
        }
    }

    /// Returns the header fields for a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The complete URL.
    ///   - token: The access token. Nil for a request without one in its header, such as a renewal.
    /// - Returns: The proof, and the token with the scheme `DPoP`. Empty without a key.
    func fields(_ method: HTTPMethod, _ url: String, token: Secret?) -> HTTPHeaders {
        let (key, nonce) = state.withLock { ($0.key, $0.nonces[Self.origin(of: url)]) }
        guard let key,
            let proof = try? key.proof(
                method: method.rawValue, address: url, token: token, nonce: nonce, at: now())
        else { return [:] }
        var fields: HTTPHeaders = [DPoPProof.field: proof]
        if let token { fields["Authorization"] = "DPoP " + token.reveal() }
        return fields
    }

    /// Sends a request, and once more if the server asks for a nonce.
    ///
    /// - Parameters:
    ///   - make: Makes the request. It is called for each attempt, because each has a proof of its own.
    ///   - send: Sends the request.
    /// - Returns: The last response.
    /// - Throws: The errors of both.
    func sending(
        _ make: () throws -> ClientRequest, by send: (ClientRequest) async throws -> ClientResponse
    ) async throws -> ClientResponse {
        let request = try make()
        let response = try await send(request)
        guard learn(from: response, to: request.url) else { return response }
        let again = try make()
        let second = try await send(again)
        _ = learn(from: second, to: again.url)
        return second
    }

    /// Keeps the nonce of a response. Returns whether the server refused the request because it had no valid nonce.
    func learn(from response: ClientResponse, to url: String) -> Bool {
        let nonces = response.headers.values(DPoPProof.nonceField)
        guard nonces.count == 1, response.redirection?.isOtherOrigin != true,
            (1...Self.maximumNonceCount).contains(nonces[0].utf8.count),
            nonces[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        return state.withLock { state in
            guard state.key != nil else { return false }
            if state.nonces.count >= Self.maximumOrigins { state.nonces = [:] }
            state.nonces[Self.origin(of: url)] = nonces[0]
            return Self.error(in: response) == "use_dpop_nonce"
        }
    }

    /// Returns the error of a response that refuses a proof, or the lack of one. Nil for any other response.
    ///
    /// Source: RFC 9449 §5, §7.1, §8 and §9.
    static func error(in response: ClientResponse) -> String? {
        let errors = ["use_dpop_nonce", "invalid_dpop_proof"]
        switch response.status.rawValue {
        case 400:
            let error = (try? JSONValue(parsing: response.body))?["error"]?.string
            return errors.first { $0 == error }
        case 401:
            let challenges = response.headers.values("WWW-Authenticate").joined(separator: ", ")
            guard challenges.lowercased().contains("dpop") else { return nil }
            return errors.first { challenges.contains("error=\"\($0)\"") }
        default: return nil
        }
    }

    private static func origin(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/").lowercased()
    }
}
