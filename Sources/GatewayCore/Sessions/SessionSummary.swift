package import Database
package import FoundationEssentials

/// A row in a list of sessions.
package struct SessionSummary: Sendable, Equatable, Identifiable {
    /// The state of a session.
    package enum State: String, Sendable {
        /// The session is live, and its token authenticates requests.
        case live
        /// The session has expired.
        case expired
        /// The session was ended; ``SessionSummary/endReason`` is the reason.
        case ended
    }

    /// The public id, which ``SessionAdministration/revoke(_:)`` takes.
    package let id: SessionID
    /// The person's id.
    package let person: UUID
    /// The person's e-mail address; nil when the person was removed.
    package let email: String?
    /// The device that the session was started from.
    package let device: SessionDevice
    /// When the person signed in.
    package let created: Date
    /// When the session was last used, with a precision of one minute.
    package let lastUsed: Date
    /// When the session expires if it is not used again.
    package let expires: Date
    /// When the session was ended before it expired; nil when it was not.
    package let ended: Date?
    /// Why the session was ended. Also nil when a newer version of the program wrote an unknown reason.
    package let endReason: SessionEndReason?
    /// The position of the session in the table. A later session has a greater position.
    package let position: Int

    @Sendable
    package init(_ row: SQLRow) throws(DatabaseError) {
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

    /// Returns the state of the session at `now`.
    package func state(at now: Date) -> State {
        if ended != nil { .ended } else if now < expires { .live } else { .expired }
    }
}
