import Database
package import FoundationEssentials
package import HTTPMessages

/// An address or a network whose requests are refused.
package struct Ban: Sendable, Equatable {
    /// The network; a single address has the full prefix length.
    package let network: IPNetwork
    /// Why it is banned, for operators. At most ``maximumNoteCount`` characters.
    package let note: String?
    /// When it was banned.
    package let created: Date
    /// When the ban ends. Nil for one that stays until it is removed.
    package let expires: Date?

    /// The maximum length of a note, in characters.
    package static let maximumNoteCount = 200

    init(network: IPNetwork, note: String?, created: Date, expires: Date?) {
        self.network = network
        self.note = note
        self.created = created
        self.expires = expires
    }

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        let text: String = try row.get(0)
        guard let network = IPNetwork(text) else {
            throw DatabaseError(.unexpectedValue, "A row of bans has a value that is not a network.")
        }
        self.network = network
        note = try row.get(1)
        created = try row.get(2)
        expires = try row.get(3)
    }
}
