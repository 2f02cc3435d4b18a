import Crypto
import FoundationEssentials
package import GatewayCore
import HTTPMessages
package import HTTPServer
import OpenIDConnect

/// Verifies the proofs of possession of requests. Every route uses it: ``DialectRouter`` for the requests to this
/// server, and the routes of forward authentication for those that a proxy describes.
///
/// A request has at most one proof of 4 KiB, and one signature is verified, after every cheaper check. A proof that is
/// used for no token or sign-in counts as a request of its client's address, and an address beyond its limit gets no
/// signature verified.
///
/// Source: RFC 9449 §4.3.
package struct ProofVerifier: Sendable {
    /// How much the time of a proof may differ from this clock, in both directions.
    package static let tolerance = ClockDifference.tolerated

    let used: UsedIDs
    let address: PublicAddress
    /// Nil when clients need no nonces.
    let nonces: ProofNonces?
    let limits: RequestLimits
    let proxies: TrustedProxies
    let metrics: Metrics
    let now: @Sendable () -> Date

    /// What a request proves.
    package enum Outcome: Sendable {
        /// Nothing: it has no proof.
        case none
        /// The possession of a key. `nonce` is the one for the next proof, if the client must replace its nonce.
        case proof(RequestProof, nonce: String?)
        /// Its proof is not valid.
        case refused(ProofRefusal)
        /// Its proof was not verified, because its address sent too many requests. The value is the time to wait.
        case limited(Duration)
    }

    /// Whether a request has a field with a proof.
    static func hasProof(_ request: ServerRequest) -> Bool {
        request.headers.fields.contains {
            $0.name.utf8.count == 4 && HTTPHeaders.namesAreEqual($0.name, DPoPProof.field)
        }
    }

    /// The accepted algorithms, for metadata.
    package static var algorithms: [String] { DPoPProof.algorithms }

    /// Verifies the proof of a request to this server.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - records: Whether the proof is recorded when it is used. False when the request is verified once more later.
    /// - Returns: What the request proves.
    func verify(_ request: ServerRequest, records: Bool = true) -> Outcome {
        guard let base = address.base(of: request) else {
            return .refused(.invalid("The server does not know its own address, so it cannot check the htu."))
        }
        return verify(request, method: request.method.rawValue, address: base + request.path, records: records)
    }

    /// Verifies the proof of a request for a method and an address.
    package func verify(
        _ request: ServerRequest, method: String, address: String, records: Bool = true
    ) -> Outcome {
        let fields = request.headers.values(DPoPProof.field)
        guard let field = fields.first else { return .none }
        guard fields.count == 1 else { return .refused(.invalid("The request has more than one proof.")) }
        let proof: DPoPProof
        do throws(DPoPProof.Refusal) {
            proof = try DPoPProof(parsing: field)
        } catch {
            return .refused(.invalid(error.sentence))
        }
        guard proof.method == method else {
            return .refused(.invalid("The htm of the proof is not the method of the request."))
        }
        guard let address = DPoPAddress(address), proof.address == address else {
            return .refused(.invalid("The htu of the proof is not the address of the request."))
        }
        let now = now()
        // Before the time, because a client whose clock is wrong would not learn the nonce.
        if let nonces, proof.nonce.map({ nonces.isValid($0, at: now) }) != true {
            return .refused(.nonceRequired(nonces.current(at: now)))
        }
        guard proof.issued <= now + Self.tolerance, proof.issued >= now - Self.tolerance else {
            return .refused(.invalid("The iat of the proof is more than a minute from the time of the server."))
        }
        let client = proxies.client(of: request)
        let caller = RequestCaller.from(client)
        let kind = kind(of: request)
        if let wait = limits.wait(kind, caller) { return .limited(wait) }
        let thumbprint: String
        do throws(DPoPProof.Refusal) {
            thumbprint = try proof.verifiedThumbprint { metrics.signature(.proof) }
        } catch {
            _ = limits.consume(kind, caller)
            return .refused(.invalid(error.sentence))
        }
        // 0xFF occurs in no text, so no code or handle that somebody sends has the same key in a common store.
        let key = SHA256.digest([0xFF] + Array((thumbprint + "\n" + proof.id).utf8))
        let used = used
        return .proof(
            RequestProof(
                thumbprint: thumbprint,
                // A token with the scheme Bearer is used without the proof.
                tokenHash: RequestTokens.hasBearer(request) ? nil : proof.tokenHash,
                record: { person in
                    let user = person.map(UsedIDs.User.person) ?? .address(AddressKey(client))
                    return records ? try await used.record(key, of: user) : true
                }),
            nonce: nonces?.current(at: now).nonEqual(to: proof.nonce))
    }

    /// Counts a request with a valid proof against the limit of its address, unless the proof was used.
    package func settle(_ proof: RequestProof, of request: ServerRequest) {
        guard !proof.isUsed else { return }
        _ = limits.consume(kind(of: request), .from(proxies.client(of: request)))
    }

    private func kind(of request: ServerRequest) -> RequestLimits.Kind {
        SiteCheck(address).kind(.proof, of: request)
    }

    /// Deletes expired records of used proofs.
    package func sweep() async { await used.sweep() }

    /// Runs a handler with the proof of a request.
    ///
    /// - Parameters:
    ///   - request: A request with a proof.
    ///   - records: As in ``verify(_:records:)``.
    ///   - refuse: Returns the response to a request whose proof is refused.
    ///   - limit: Returns the response to a request whose address must wait.
    ///   - handler: Returns the response to a request whose proof is valid, while ``RequestProof/current`` is set.
    /// - Returns: The response, with the next nonce if the client needs another one. Nil when `handler` returns nil.
    func response(
        _ request: ServerRequest, records: Bool = true, refuse: (ProofRefusal) -> ServerResponse,
        limit: (Duration) -> ServerResponse, _ handler: () async -> ServerResponse?
    ) async -> ServerResponse? {
        switch verify(request, records: records) {
        case .none: return await handler()
        case .refused(let refusal): return refuse(refusal)
        case .limited(let wait): return limit(wait)
        case .proof(let proof, let nonce):
            let response = await RequestProof.$current.withValue(proof) { await handler() }
            settle(proof, of: request)
            if proof.isRepeated { return refuse(.repeated) }
            return nonce.flatMap { response?.proofNonce($0) } ?? response
        }
    }
}

extension String {
    fileprivate func nonEqual(to other: String?) -> String? { self == other ? nil : self }
}
