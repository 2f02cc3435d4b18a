import Database
import FoundationEssentials

extension AccountStore {
    /// Stores the address of a server that was found, so that it need not be typed again after a failed sign-in.
    ///
    /// Only the last address is stored. It is removed at the next sign-in to any server, and is not returned after 30
    /// days.
    ///
    /// Source: IM-3, OX-10.
    package func storeDiscoveredServer(_ address: ServerAddress) async throws {
        let moment = now()
        try await change { _ = try $0.run(Self.upsertFoundServer, address.url, moment) }
    }

    /// Returns the address of the server that was found last. Nil after a sign-in to any server, and after 30 days.
    package func discoveredServer() async throws -> ServerAddress? {
        let oldest = now().addingTimeInterval(-30 * 86_400)
        let address = try await LatchError.converting { try await database.read { try $0.first(Self.found, oldest) } }
        return address.flatMap { try? ServerAddress($0) }
    }

    private static let upsertFoundServer = Statement(
        "INSERT OR REPLACE INTO found_server (one, server_url, found_at) VALUES (1, ?, ?)", String.self, Date.self)

    private static let found = Statement("SELECT server_url FROM found_server WHERE found_at > ?", Date.self) {
        row throws(DatabaseError) in try row.get(0) as String
    }

    static let deleteFoundServer = Statement("DELETE FROM found_server")
}
