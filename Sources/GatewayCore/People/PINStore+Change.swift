import Crypto
import Database
package import FoundationEssentials

/// The proof that allows a person's PIN to be changed or removed.
///
/// The proof is checked first, and again in the transaction that makes the change. If it became invalid in between, for
/// example because the PIN or the password was changed or the session ended, nothing is changed.
package enum PINProof: Sendable {
    /// The person's current PIN, as typed.
    case pin(PIN)
    /// The person's password. The value is the person as read when the password was checked.
    case password(Person)
    /// A session with a recent sign-in.
    case session(SessionID)
}

extension PINStore {
    /// Changes a person's PIN. Ends a lock-out and locks every session of the person.
    ///
    /// - Returns: ``CheckResult/right`` if the PIN was changed; ``CheckResult/wrong`` if the proof is invalid; ``CheckResult/notSet``
    ///   if the person has no PIN; ``CheckResult/limited(_:)`` during a lock-out.
    /// - Throws: ``GatewayError/Code/busy``. The attempt does not count then.
    package func change(to pin: PIN, of person: UUID, by proof: PINProof) async throws -> CheckResult {
        try await requireProof(proof, of: person, reason: "changed") {
            let hash = try await self.hash(of: pin, of: person).rawValue
            return { connection in
                // A session that was unlocked with the old PIN must be unlocked again with the new one.
                try connection.run(ElevationStatements.endAll, person)
                return try connection.run(PINStatements.change, hash, person)
            }
        }
    }

    /// Removes a person's PIN and locks all of the person's sessions.
    ///
    /// - Returns: The same values as ``change(to:of:by:)``.
    /// - Throws: The same errors as ``change(to:of:by:)``.
    package func remove(of person: UUID, by proof: PINProof) async throws -> CheckResult {
        try await requireProof(proof, of: person, reason: "removed") {
            { connection in
                try connection.run(ElevationStatements.endAll, person)
                return try connection.run(PINStatements.delete, person)
            }
        }
    }

    /// Checks the proof and applies the change in one transaction. The change that `prepare` creates returns the number
    /// of PINs that it affected.
    private func requireProof(
        _ proof: PINProof, of person: UUID, reason: StaticString,
        _ prepare: () async throws -> @Sendable (Connection) throws -> Int
    ) async throws -> CheckResult {
        let outcome: CheckResult
        if case .pin(let current) = proof {
            outcome = try await check(current, of: person) {
                let change = try await prepare()
                return { _ = try change($0) }
            }
        } else {
            let (change, now) = (try await prepare(), now())
            outcome = try await database.write { connection in
                guard try proof.holds(of: person, at: now, connection) else { return .wrong }
                return try change(connection) == 1 ? .right : .notSet
            }
        }
        if outcome == .right { audit.record(AuditEvent(.pinChanged, reason: reason, person: person)) }
        return outcome
    }
}

extension PINProof {
    /// Whether a password or session is still a valid proof. False for a PIN, which ``PINStore`` checks itself.
    fileprivate func holds(of person: UUID, at now: Date, _ connection: Connection) throws -> Bool {
        switch self {
        case .pin: false
        case .password(let proved):
            try proved.id == person && connection.first(PINStatements.isSameEpoch, person, proved.sessionEpoch) == true
        case .session(let session):
            try connection.first(PINStatements.isLive, session.rawValue, person, now) == true
        }
    }
}
