import Crypto
import Database
import FoundationEssentials

/// What allows a person's PIN to be changed or taken away.
///
/// It was found true a moment ago and must be true still in the write that it allows: what ended it meanwhile, such as another
/// PIN, another password or the end of the session, came first.
enum PINProof: Sendable {
    /// The PIN that the person has, typed just now.
    case pin(PIN)
    /// The person's password, which was right for the person as read then.
    case password(Person)
    /// A session that was begun a short while ago.
    case session(SessionID)
}

extension PINStore {
    /// Gives a person another PIN. A lock-out ends, and every session of the person is locked.
    ///
    /// - Returns: ``Answer/right`` once it is changed; ``Answer/wrong`` for a proof that does not hold.
    /// - Throws: ``GatewayError/Code/busy``; then a guess does not count.
    func change(to pin: PIN, of person: UUID, by proof: PINProof) async throws -> Answer {
        try await settle(proof, of: person, "changed") {
            let hash = try await hasher.hash(pin.secret).rawValue
            return { connection in
                // Who unlocked by the old one knows the new one not yet.
                try connection.run(ElevationStatements.endAll, person)
                return try connection.run(PINStatements.change, hash, person)
            }
        }
    }

    /// Takes a person's PIN away and locks all of the person's sessions.
    ///
    /// - Returns: As ``change(to:of:by:)``.
    /// - Throws: As ``change(to:of:by:)``.
    func remove(of person: UUID, by proof: PINProof) async throws -> Answer {
        try await settle(proof, of: person, "removed") {
            { connection in
                try connection.run(ElevationStatements.endAll, person)
                return try connection.run(PINStatements.delete, person)
            }
        }
    }

    /// Makes a change, which tells of how many PINs it was, in the write that finds the proof true.
    private func settle(
        _ proof: PINProof, of person: UUID, _ reason: StaticString,
        _ prepare: () async throws -> @Sendable (Connection) throws -> Int
    ) async throws -> Answer {
        let answer: Answer
        if case .pin(let current) = proof {
            answer = try await check(current, of: person) {
                let change = try await prepare()
                return { _ = try change($0) }
            }
        } else {
            let (change, now) = (try await prepare(), now())
            answer = try await database.write { connection in
                guard try proof.holds(of: person, at: now, connection) else { return .wrong }
                return try change(connection) == 1 ? .right : .notSet
            }
        }
        if answer == .right { audit.record(AuditEvent(.pinChanged, reason: reason, person: person)) }
        return answer
    }
}

extension PINProof {
    /// Whether a password or session still proves who it is; of a PIN ``PINStore`` asks otherwise.
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
