import Database
public import LatchKit

/// What a person has chosen for downloads, stored in the accounts database.
public struct DownloadPreferences: Sendable {
    private let database: DownloadDatabase

    /// Creates the preferences of a client.
    public init(_ latch: LatchClient) { database = DownloadDatabase(latch) }

    /// Whether to download on metered networks too. Default: false. It applies when the next program that downloads
    /// starts.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func fetchesMetered() async throws -> Bool {
        try await LatchError.converting { try await database.read { try $0.first(Self.select) } } ?? false
    }

    /// Stores whether to download on metered networks too.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func setFetchesMetered(_ isOn: Bool) async throws {
        try await LatchError.converting { try await database.change { _ = try $0.run(Self.update, isOn) } }
    }

    private static let select = Statement("SELECT fetches_metered FROM download_signals") { row throws(DatabaseError) in
        try row.get(0) as Bool
    }

    private static let update = Statement("UPDATE download_signals SET fetches_metered = ?", Bool.self)
}
