import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import OpenIDConnect
import Synchronization

/// Signs the proofs of possession of one session, with a nonce where the server asked for one, and with the time of the
/// server where it refused a proof because of the time.
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
        /// What each origin said.
        var servers: [String: ServerState] = [:]
    }

    /// What a server said about proofs.
    private struct ServerState {
        /// The last nonce.
        var nonce: String?
        /// How many seconds its clock is ahead of this one.
        var difference: TimeInterval = 0
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Date

    /// How many seconds of difference between two clocks servers accept in any case.
    private static let toleratedDifference: TimeInterval = 5
    /// The maximum number of origins that are known.
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
            state = State(stored: stored, key: stored.flatMap { try? DPoPKey(pem: $0) }, servers: state.servers)
        }
    }

    /// Returns the header fields for a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The complete URL.
    ///   - address: The URL by which the server knows itself. Nil for `url`.
    ///   - token: The access token. Nil for a request without one in its header, such as a renewal.
    /// - Returns: The proof, and the token with the scheme `DPoP`. Empty without a key.
    func fields(_ method: HTTPMethod, _ url: String, as address: String? = nil, token: Secret?) -> HTTPHeaders {
        let (key, known) = state.withLock { ($0.key, $0.servers[Self.origin(of: url)] ?? ServerState()) }
        guard let key,
            let proof = try? key.proof(
                method: method.rawValue, address: address ?? url, token: token, nonce: known.nonce,
                at: now().addingTimeInterval(known.difference))
        else { return [:] }
        var fields: HTTPHeaders = [DPoPProof.field: proof]
        if let token { fields["Authorization"] = "DPoP " + token.reveal() }
        return fields
    }

    /// Whether there is a key.
    var hasKey: Bool { state.withLock { $0.key != nil } }

    /// Sends a request, once more if the server asks for a nonce, and once more if it has another time.
    ///
    /// - Parameters:
    ///   - make: Makes the request. It is called for each attempt, because each has a proof of its own.
    ///   - send: Sends the request.
    /// - Returns: The last response.
    /// - Throws: The errors of both.
    func sending(
        _ make: () throws -> ClientRequest, by send: (ClientRequest) async throws -> ClientResponse
    ) async throws -> ClientResponse {
        var errors: Set<String> = []
        while true {
            let request = try make()
            let response = try await send(request)
            guard learn(from: response, to: request.url), let error = Self.error(in: response),
                errors.insert(error).inserted
            else { return response }
        }
    }

    /// Keeps the nonce of a response, and the time of one that refuses the proof. Returns whether the server refused the
    /// request because of one of these, so that another proof may be accepted.
    func learn(from response: ClientResponse, to url: String) -> Bool {
        guard hasKey, response.redirection?.isOtherOrigin != true else { return false }
        let (nonce, error) = (Self.nonce(in: response), Self.error(in: response))
        let difference = error == "invalid_dpop_proof" ? difference(from: response) : nil
        guard nonce != nil || difference != nil else { return false }
        return state.withLock { state in
            let origin = Self.origin(of: url)
            if state.servers.count >= Self.maximumOrigins { state.servers = [:] }
            var known = state.servers[origin] ?? ServerState()
            defer { state.servers[origin] = known }
            if let nonce { known.nonce = nonce }
            guard let difference else { return nonce != nil && error == "use_dpop_nonce" }
            let isDifferent = abs(difference - known.difference) > Self.toleratedDifference
            // If the server's own time is refused too, the time is not the reason.
            known.difference = isDifferent ? difference : 0
            return isDifferent
        }
    }

    private static func nonce(in response: ClientResponse) -> String? {
        let nonces = response.headers.values(DPoPProof.nonceField)
        guard nonces.count == 1, (1...maximumNonceCount).contains(nonces[0].utf8.count),
            nonces[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return nonces[0]
    }

    /// How many seconds the clock of the sender of a response is ahead. Nil when it does not tell its time.
    private func difference(from response: ClientResponse) -> TimeInterval? {
        let now = now().timeIntervalSince1970
        guard let date = response.headers["Date"].flatMap({ HTTPDate($0, now: Int(now)) }) else { return nil }
        return TimeInterval(date.seconds) - now
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
