import Database
package import FoundationEssentials

extension AccountStore {
    /// Returns the id of this device. It is created on first use and is then the same for all programs and accounts.
    ///
    /// Programs that call this at the same time get the same id, because the database keeps only the first. The id is
    /// random and contains no information about the device.
    ///
    /// - Throws: ``LatchError`` with a code of the storage.
    ///
    /// Source: IM-6.
    package func deviceID() async throws -> UUID {
        try await LatchError.converting {
            if let id = try await database.read({ try $0.first(Self.selectDevice) }) { return id }
            return try await database.write { connection in
                _ = try connection.run(Self.makeDevice, UUID())
                guard let id = try connection.first(Self.selectDevice) else { throw Self.missing }
                return id
            }
        }
    }

    private static let selectDevice = Statement("SELECT id FROM device") { row throws(DatabaseError) in
        try row.get(0) as UUID
    }
    private static let makeDevice = Statement("INSERT OR IGNORE INTO device (one, id) VALUES (1, ?)", UUID.self)
}
