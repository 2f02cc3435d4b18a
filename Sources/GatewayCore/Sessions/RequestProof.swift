package import Crypto
package import FoundationEssentials
import Synchronization

/// The proof of possession that came with a request, after every check that needs no memory.
///
/// A session or access token that is bound to a key is accepted only with it. The proof is recorded when it is first
/// used for such a token, so that only senders with a token fill the memory of used proofs.
///
/// Source: RFC 9449 §7.1 and §11.1.
package final class RequestProof: Sendable {
    /// The proof of the request that the current task processes. Nil when the request has none.
    @TaskLocal package static var current: RequestProof?

    /// The SHA-256 of the sender's public key in base64url.
    package let thumbprint: String
    /// The hash of the token that the proof was made for. Nil for none.
    package let tokenHash: SHA256Digest?

    private enum Use { case none, recorded, repeated }
    private let use = Mutex(Use.none)
    private let record: @Sendable (UUID?) async throws -> Bool

    /// Creates a proof.
    ///
    /// - Parameters:
    ///   - thumbprint: The SHA-256 of the sender's public key in base64url.
    ///   - tokenHash: The hash of the token that the proof was made for.
    ///   - record: Records the proof as used, in the share of a person or, if there is none, of the sender's address.
    ///     Returns false when it was used before.
    package init(
        thumbprint: String, tokenHash: SHA256Digest?, record: @escaping @Sendable (UUID?) async throws -> Bool
    ) {
        self.thumbprint = thumbprint
        self.tokenHash = tokenHash
        self.record = record
    }

    /// Whether the proof was used before, for another request.
    package var isRepeated: Bool { use.withLock { $0 == .repeated } }

    /// Whether the proof was used for a token or a sign-in, in this request or another.
    package var isUsed: Bool { use.withLock { $0 != .none } }

    /// Records the proof as used for this request.
    ///
    /// - Parameter person: The person whose token or sign-in it is used for. Nil when that is not known.
    /// - Returns: False when another request used it before.
    /// - Throws: When the memory of used proofs does not respond, or it or the share of the person is full.
    package func isFirstUse(of person: UUID?) async throws -> Bool {
        switch use.withLock({ $0 }) {
        case .recorded: return true
        case .repeated: return false
        case .none: break
        }
        let isFirst = try await record(person)
        use.withLock { $0 = isFirst ? .recorded : .repeated }
        return isFirst
    }

    /// Records the proof of the current request as used. Returns true without a proof, and false when another request
    /// used it before.
    ///
    /// - Throws: As ``isFirstUse(of:)``.
    package static func recordCurrent(of person: UUID) async throws -> Bool {
        try await current?.isFirstUse(of: person) ?? true
    }

    /// Whether the current request proves the possession of the key that a token of a person is bound to, with a proof
    /// that was made for this token and not used before.
    ///
    /// - Throws: As ``isFirstUse(of:)``.
    static func admits(_ token: SHA256Digest, of person: UUID, boundTo thumbprint: String) async throws -> Bool {
        guard let proof = current, proof.tokenHash == token, proof.thumbprint == thumbprint else { return false }
        return try await proof.isFirstUse(of: person)
    }
}
