package import FoundationEssentials

/// A row in a list of signing keys.
package struct SigningKeySummary: Sendable, Equatable, Identifiable {
    /// The id of the key, `kid`, which is its thumbprint.
    package let id: String
    /// The signature algorithm.
    package let algorithm: String
    /// When the key was created.
    package let created: Date
    /// When the key starts to sign.
    package let signsFrom: Date
    /// Until when the key is published at least, for the tokens that it has signed.
    package let neededUntil: Date
    /// Whether the key is the one that signs now.
    package let isSigning: Bool

    /// The state of a key.
    package enum State: String, Sendable {
        /// The key is published and will sign later.
        case announced
        /// The key signs.
        case signing
        /// The key no longer signs, but tokens that it signed are still valid.
        case checking
        /// The key is no longer needed and will be removed soon.
        case over
    }

    package init(_ stored: StoredSigningKey, isSigning: Bool) {
        id = stored.id
        algorithm = stored.algorithm
        created = stored.created
        signsFrom = stored.signsFrom
        neededUntil = stored.neededUntil
        self.isSigning = isSigning
    }

    /// Returns the state of the key at `now`.
    package func state(at now: Date) -> State {
        if isSigning { return .signing }
        if signsFrom > now { return .announced }
        return neededUntil > now ? .checking : .over
    }
}
