public import FoundationEssentials

/// One line of a list of signing keys.
public struct SigningKeySummary: Sendable, Equatable, Identifiable {
    /// The key's name, `kid`: its thumbprint.
    public let id: String
    /// What it signs by.
    public let algorithm: String
    /// When it was made.
    public let created: Date
    /// When it begins to sign.
    public let signsFrom: Date
    /// Until when it is shown at least, for the tokens that it has signed.
    public let neededUntil: Date
    /// Whether it is the one that signs now.
    public let isSigning: Bool

    /// What a key is there for.
    public enum State: String, Sendable {
        /// Others see it already, and it will sign.
        case announced
        /// It signs.
        case signing
        /// It has signed tokens that are still good.
        case checking
        /// Nobody needs it any more; it is removed soon.
        case over
    }

    init(_ stored: StoredSigningKey, isSigning: Bool) {
        id = stored.id
        algorithm = stored.algorithm
        created = stored.created
        signsFrom = stored.signsFrom
        neededUntil = stored.neededUntil
        self.isSigning = isSigning
    }

    /// What the key is there for at `now`.
    public func state(at now: Date) -> State {
        if isSigning { return .signing }
        if signsFrom > now { return .announced }
        return neededUntil > now ? .checking : .over
    }
}
