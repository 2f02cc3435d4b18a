import Database
public import FoundationEssentials

/// One line of a list of sessions.
public struct SessionSummary: Sendable, Equatable, Identifiable {
    /// What a session's token is worth.
    public enum State: String, Sendable {
        /// It signs requests in.
        case live
        /// Its time ran out.
        case expired
        /// It was ended; ``SessionSummary/endReason`` tells why.
        case ended
    }

    /// The public id, which ``SessionAdministration/revoke(_:)`` takes.
    public let id: SessionID
    /// The person's id.
    public let person: UUID
    /// The person's e-mail address; nil when the person was removed.
    public let email: String?
    /// The device.
    public let device: SessionDevice
    /// When the person signed in.
    public let created: Date
    /// When the session was last used, to the minute.
    public let lastUsed: Date
    /// When it ends if it is not used again.
    public let expires: Date
    /// When it was ended before its time.
    public let ended: Date?
    /// Why it was ended; nil too when a newer program wrote a reason that this one does not know.
    public let endReason: SessionEndReason?
    /// Where it stands in the table; a later session has a greater one.
    let position: Int

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        id = SessionID(rawValue: try row.get(0))
        person = try row.get(1)
        email = try row.get(2)
        device = SessionDevice(name: try row.get(3), kind: try row.get(4), address: try row.get(10))
        created = try row.get(5)
        lastUsed = try row.get(6)
        expires = try row.get(7)
        ended = try row.get(8)
        position = try row.get(11)
        endReason = (try row.get(9) as String?).flatMap(SessionEndReason.init(rawValue:))
    }

    /// What the session is at `now`.
    public func state(at now: Date) -> State {
        if ended != nil { .ended } else if now < expires { .live } else { .expired }
    }
}
