public import Crypto
public import FoundationEssentials

/// A PIN that unlocks a locked folder. Every release of Immich requires six digits; a server that implements the
/// specification accepts four to six.
///
/// Source: IM-15; docs/protocols/immich.md, PIN and locked assets.
public struct PIN: Sendable {
    /// The digits.
    public let digits: Secret

    /// Makes a PIN from what a person typed.
    ///
    /// - Throws: ``LatchError/Code/invalidRequest`` when the text is not four to six digits.
    public init(_ text: Secret) throws(LatchError) {
        guard text.withBytes({ (4...6).contains($0.count) && $0.allSatisfy { (0x30...0x39).contains($0) } }) else {
            throw LatchError(
                .invalidRequest, "A PIN has six digits, or four or five on some servers. Nothing was sent.")
        }
        digits = text
    }
}

/// A proof that the person may change the PIN.
public enum PINProof: Sendable {
    /// The current PIN.
    case pin(PIN)
    /// The password of the account.
    case password(Secret)
}

/// An action on a PIN or its lock.
public enum PINAction: Sendable {
    /// Sets the first PIN.
    case set(PIN)
    /// Replaces the PIN.
    case change(to: PIN, PINProof)
    /// Removes the PIN, which locks every session.
    case remove(PINProof)
    /// Unlocks the protected content for this session and a limited time.
    case unlock(PIN)
    /// Locks the protected content again.
    case lock
}

/// The state of a PIN and its lock.
public struct PINState: Sendable, Hashable {
    /// Whether the person has a PIN.
    public var isSet: Bool
    /// Whether this session can access the protected content.
    public var isUnlocked: Bool
    /// When the access ends. Nil when the server does not say.
    public var unlockedUntil: Date?
    /// The time from the response until ``unlockedUntil``, by the clock of the server if it tells its time.
    package var unlockedFor: Duration?

    /// Makes a state.
    package init(
        isSet: Bool, isUnlocked: Bool, unlockedUntil: Date? = nil, unlockedFor: Duration? = nil
    ) {
        self.isSet = isSet
        self.isUnlocked = isUnlocked
        self.unlockedUntil = unlockedUntil
        self.unlockedFor = unlockedFor
    }
}
