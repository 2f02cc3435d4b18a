import Database
import FoundationEssentials

/// What is stored of a person's profile picture.
struct StoredPicture: Sendable {
    /// The person's id on the server. Nil when it is not known.
    var personID: String?
    /// The version that the server announced last. Nil when the person has no picture.
    var announced: String?
    /// The version of ``bytes``.
    var version: String?
    /// The picture. It may be older than ``announced``.
    var bytes: [UInt8]?
}

extension AccountStore {
    /// Records who is signed in. A picture that the person has removed on the server is deleted.
    ///
    /// Nothing is written when nothing has changed, or when the session is not the one of `generation` any more.
    func record(_ identity: Identity, of id: UUID, in generation: Int) async throws {
        let isKnown = try await LatchError.converting {
            try await database.read {
                try $0.first(Self.isKnown, identity.id, identity.name, identity.pictureVersion, id) ?? true
            }
        }
        guard !isKnown else { return }
        try await change { connection in
            let changed = try connection.run(
                Self.setPerson, identity.id, identity.name, identity.pictureVersion, id, generation)
            if changed == 1, identity.pictureVersion == nil { _ = try connection.run(Self.deletePicture, id) }
        }
    }

    /// Returns what is stored of a person's profile picture. Nil when there is no such account.
    func storedPicture(of id: UUID) async throws -> StoredPicture? {
        try await LatchError.converting { try await database.read { try $0.first(Self.selectPicture, id) } }
    }

    /// Stores a profile picture, unless the session is not the one of `generation` any more.
    func store(_ picture: ProfilePicture, version: String, of id: UUID, in generation: Int) async throws {
        try await change { connection in
            _ = try connection.run(Self.insertPicture, version, picture.bytes, id, generation)
        }
    }

    /// Stores the result of a first sync, unless the session is not the one of `generation` any more. A value that is nil
    /// does not replace one from an earlier sync of the session, and the marker of
    /// the earlier sync stays.
    func store(_ sync: FirstSync, of id: UUID, in generation: Int) async throws {
        guard let date = sync.date, let marker = sync.marker else { return }
        try await change { connection in
            _ = try connection.run(
                Self.insertFirstSync, sync.version, sync.albums, sync.photographs, sync.videos, date, marker, id,
                generation)
        }
    }

    /// Returns the stored first sync of an account. Nil when there is none.
    func firstSync(of id: UUID) async throws -> FirstSync? {
        try await LatchError.converting { try await database.read { try $0.first(Self.selectFirstSync, id) } }
    }

    /// Deletes what is stored about the person of a session that has ended, apart from the row of the account.
    static func deletePersonalData(_ id: UUID, _ connection: Connection) throws(DatabaseError) {
        try connection.run(deletePicture, id)
        try connection.run(deleteFirstSync, id)
    }

    private static let deletePicture = Statement("DELETE FROM profile_pictures WHERE account = ?", UUID.self)
    private static let deleteFirstSync = Statement("DELETE FROM first_syncs WHERE account = ?", UUID.self)

    private static let isKnown = Statement(
        """
        SELECT person_id IS ?1 AND display_name IS coalesce(?2, display_name) AND picture_version IS ?3 \
        FROM accounts WHERE id = ?4
        """, String.self, String?.self, String?.self, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    private static let setPerson = Statement(
        """
        UPDATE accounts SET person_id = ?, display_name = coalesce(?, display_name), picture_version = ? \
        WHERE id = ? AND generation = ? AND stage = 'in'
        """, String.self, String?.self, String?.self, UUID.self, Int.self)

    private static let selectPicture = Statement(
        """
        SELECT person_id, picture_version, version, picture FROM accounts \
        LEFT JOIN profile_pictures ON account = accounts.id WHERE accounts.id = ?
        """, UUID.self
    ) { row throws(DatabaseError) in
        StoredPicture(
            personID: try row.get(0), announced: try row.get(1), version: try row.get(2), bytes: try row.get(3))
    }

    private static let insertPicture = Statement(
        """
        INSERT OR REPLACE INTO profile_pictures (account, version, picture) \
        SELECT id, ?, ? FROM accounts WHERE id = ? AND generation = ? AND stage = 'in'
        """, String.self, [UInt8].self, UUID.self, Int.self)

    private static let insertFirstSync = Statement(
        """
        INSERT INTO first_syncs (account, server_version, albums, photographs, videos, finished_at, marker) \
        SELECT id, ?, ?, ?, ?, ?, ? FROM accounts WHERE id = ? AND generation = ? AND stage = 'in' \
        ON CONFLICT (account) DO UPDATE SET server_version = coalesce(excluded.server_version, server_version), \
        albums = coalesce(excluded.albums, albums), photographs = coalesce(excluded.photographs, photographs), \
        videos = coalesce(excluded.videos, videos), finished_at = excluded.finished_at
        """, String?.self, Int?.self, Int?.self, Int?.self, Date.self, Date.self, UUID.self, Int.self)

    private static let selectFirstSync = Statement(
        "SELECT server_version, albums, photographs, videos, finished_at, marker FROM first_syncs WHERE account = ?",
        UUID.self
    ) { row throws(DatabaseError) in
        var sync = FirstSync()
        (sync.version, sync.albums, sync.photographs) = (try row.get(0), try row.get(1), try row.get(2))
        (sync.videos, sync.date, sync.marker) = (try row.get(3), try row.get(4), try row.get(5))
        return sync
    }
}
