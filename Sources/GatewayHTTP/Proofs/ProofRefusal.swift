import HTTPMessages
package import HTTPServer
import OpenIDConnect

/// Why the proof of a request is refused.
///
/// Source: RFC 9449 §5, §7.1, §8 and §9.
package struct ProofRefusal: Sendable {
    /// The error for the client: `invalid_dpop_proof` or `use_dpop_nonce`.
    package let error: StaticString
    /// What is wrong. A constant, so that the response does not repeat what was sent.
    package let sentence: StaticString
    /// The nonce that the client must use. Nil when nonces are off.
    package let nonce: String?

    /// Creates the refusal of a proof that is not valid.
    package static func invalid(_ sentence: StaticString, nonce: String? = nil) -> ProofRefusal {
        ProofRefusal(error: "invalid_dpop_proof", sentence: sentence, nonce: nonce)
    }

    /// The refusal of a request that needs a proof and has none.
    package static let missing = ProofRefusal.invalid("The request has no proof in the field DPoP.")
    /// The refusal of a proof that another request used before.
    package static let repeated = ProofRefusal.invalid("The proof was used before. Make a new one for each request.")

    /// The refusal of a token that is not valid, or not bound to the key of the proof.
    ///
    /// Source: RFC 9449 §7.1; RFC 6750 §3.1.
    package static let invalidToken = ProofRefusal(
        error: "invalid_token", sentence: "The token is not valid for the key of the proof.", nonce: nil)

    /// Creates the refusal of a proof without a valid nonce.
    static func nonceRequired(_ nonce: String) -> ProofRefusal {
        ProofRefusal(
            error: "use_dpop_nonce", sentence: "The proof must contain the nonce of the field DPoP-Nonce.", nonce: nonce
        )
    }

    /// The challenge for a request with a token.
    package var challenge: String {
        #"DPoP realm="latchd", error="\#(error)", error_description="\#(sentence)", algs="\#(Self.algorithms)""#
    }

    /// The accepted algorithms, as the challenge names them.
    package static let algorithms = DPoPProof.algorithms.joined(separator: " ")

    /// Returns a response with the challenge and the nonce.
    package func challenging(_ response: ServerResponse) -> ServerResponse {
        var response = withNonce(response)
        response.headers["WWW-Authenticate"] = challenge
        return response
    }

    /// Returns a response with the nonce.
    package func withNonce(_ response: ServerResponse) -> ServerResponse {
        guard let nonce else { return response }
        return response.proofNonce(nonce)
    }

    /// The error of the token endpoint and its neighbours.
    ///
    /// Source: RFC 9449 §5 and §8.
    package var tokenResponse: ServerResponse {
        withNonce(TokenResponses.refusal(error: error, description: sentence))
    }
}

extension ServerResponse {
    /// Returns the response with a nonce for the next proof. It must not be cached.
    ///
    /// Source: RFC 9449 §8.2.
    package func proofNonce(_ nonce: String) -> ServerResponse {
        var response = self
        response.headers[DPoPProof.nonceField] = nonce
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}
