public import FoundationEssentials

/// A family whose people lock some of what they have behind a PIN, which opens it for one session and a short while.
///
/// Source: IM-15.
public protocol PINDialect: Dialect {
    /// How PIN and lock stand.
    func pinState(with client: AuthorizedClient) async throws -> PINState
    /// Does something with the PIN or the lock.
    ///
    /// - Parameters:
    ///   - act: What to do.
    ///   - client: The session that is locked or unlocked.
    /// - Throws: ``LatchError/Code/wrongPIN``, ``LatchError/Code/wrongCredentials`` for a wrong password,
    ///   ``LatchError/Code/rateLimited`` when the server takes no more tries for now; the session stands.
    func perform(_ act: PINAct, with client: AuthorizedClient) async throws
}

/// The digits that unlock a locked folder: six for every release of Immich, four to six for a server of the specification.
///
/// Source: IM-15; contract of Immich, b.7.
public struct PIN: Sendable {
    /// The digits.
    public let digits: Secret

    /// Checks a PIN as a person typed it.
    ///
    /// - Throws: ``LatchError/Code/invalidRequest`` when it is not of four to six digits.
    public init(_ text: Secret) throws(LatchError) {
        guard text.withBytes({ (4...6).contains($0.count) && $0.allSatisfy { (0x30...0x39).contains($0) } }) else {
            throw LatchError(.invalidRequest, "A PIN has six digits, with some servers four or five. Nothing was sent.")
        }
        digits = text
    }
}

/// What shows that the person may change the PIN.
public enum PINProof: Sendable {
    /// The PIN of today.
    case pin(PIN)
    /// The password of the account.
    case password(Secret)
}

/// What can be done with a PIN.
public enum PINAct: Sendable {
    /// Sets the first one.
    case set(PIN)
    /// Sets another one.
    case change(to: PIN, PINProof)
    /// Takes it away, which locks every session.
    case remove(PINProof)
    /// Opens what is locked, for this session and a short while.
    case unlock(PIN)
    /// Locks it again.
    case lock
}

/// How a PIN and its lock stand.
public struct PINState: Sendable, Hashable {
    /// Whether the person has a PIN.
    public var isSet: Bool
    /// Whether this session sees what is locked.
    public var isUnlocked: Bool
    /// Until when, where the server tells.
    public var unlockedUntil: Date?

    /// Makes a state.
    public init(isSet: Bool, isUnlocked: Bool, unlockedUntil: Date? = nil) {
        self.isSet = isSet
        self.isUnlocked = isUnlocked
        self.unlockedUntil = unlockedUntil
    }
}
