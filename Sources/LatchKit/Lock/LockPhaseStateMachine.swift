/// The phase of the lock. It is stored before the secrets are changed, so that a later program can finish the work of
/// one that was killed.
struct LockPhaseStateMachine: Sendable, Equatable, Codable {
    /// The work that a phase requires.
    enum Action: Equatable {
        /// Seal every secret for the current key, then call ``finished()``.
        case seal
        /// Store every secret without a seal, then call ``finished()``.
        case unseal
        /// End every session and remove all secrets, then call ``finished()``.
        case signOut
        /// Store the record.
        case store
        /// Delete the record.
        case delete
    }

    private enum Phase: String, Codable { case sealing, sealed, removing, forgotten }
    private var phase = Phase.sealing

    /// Whether the key of the lock is deleted.
    var isForgotten: Bool { phase == .forgotten }
    /// Whether new secrets are sealed.
    var sealsSecrets: Bool { phase == .sealing || phase == .sealed }

    /// The work that an interrupted program left behind. Nil when there is none.
    var unfinished: Action? {
        switch phase {
        case .sealing: .seal
        case .sealed: nil
        case .removing: .unseal
        case .forgotten: .signOut
        }
    }

    /// Begins to replace the key.
    mutating func replaceKey() { phase = .sealing }
    /// Begins the removal of the lock.
    mutating func remove() { phase = .removing }
    /// Records that the key of the lock is deleted.
    mutating func forget() { phase = .forgotten }

    /// Records that the work of the phase is complete.
    mutating func finished() -> Action {
        guard sealsSecrets else { return .delete }
        phase = .sealed
        return .store
    }
}
