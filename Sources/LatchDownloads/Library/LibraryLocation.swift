import Database
public import FoundationEssentials
public import LatchKit

/// The folder for a person's files, and their arrangement there.
public struct LibraryLocation: Sendable, Hashable, Codable {
    /// The full path of the folder.
    public var folder: String
    /// How files are arranged in the folder.
    public var layout: LibraryLayout
    /// Whether each live photo becomes one file.
    public var keepsMotionPhotos: Bool

    /// Creates a place.
    public init(folder: String, layout: LibraryLayout = .flat, keepsMotionPhotos: Bool = false) {
        self.folder = folder
        self.layout = layout
        self.keepsMotionPhotos = keepsMotionPhotos
    }

    /// The folder `Immich` in the person's pictures folder. Nil when that is unknown, because `HOME` is not an absolute
    /// path.
    ///
    /// Source: DL-11.
    public static func defaultFolder(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        PicturesFolder.current(environment: environment).path.map { $0 + "/Immich" }
    }
}

/// The places that files were saved to, stored in the accounts database. A stopped queue continues in the same place.
public struct LibraryLocations: Sendable {
    let database: DownloadDatabase
    let accounts: AccountStore

    /// Creates the places of a client.
    public init(_ latch: LatchClient) { (database, accounts) = (DownloadDatabase(latch), latch.accounts) }

    /// Returns the place of the last downloads, or nil before the first ones.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func last() async throws -> LibraryLocation? {
        try await LatchError.converting { try await database.read { try $0.first(Self.selectLast) } }
    }

    /// Returns the place of the last downloads, or the default folder before the first ones.
    ///
    /// - Throws: `LatchError.Code.fileFailed` when the default folder is unknown; a `LatchError` with a `storage`
    ///   code.
    public func current(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> LibraryLocation {
        if let last = try await last() { return last }
        return LibraryLocation(folder: try Self.standardFolder(environment))
    }

    /// Returns the default folder.
    static func standardFolder(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(LatchError) -> String {
        guard let folder = LibraryLocation.defaultFolder(environment: environment) else {
            throw LatchError(.fileFailed, "There is no pictures folder, because HOME is not set. Choose a folder.")
        }
        return folder
    }

    /// Returns how files are arranged in a folder, or nil when no files were saved to it.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func layout(of folder: String) async throws -> LibraryLayout? { try await place(folder)?.layout }

    /// Returns a known place. Nil when no files were saved to its folder.
    func place(_ folder: String) async throws -> LibraryLocation? {
        try await LatchError.converting { try await database.read { try $0.first(Self.selectOne, folder) } }
    }

    /// Whether a library's folder was created before, so that it should exist.
    func wasCreated(_ folder: String) async throws -> Bool {
        try await LatchError.converting { try await database.read { try $0.first(Self.selectMade, folder) } } ?? false
    }

    /// Records that a library's folder was created. Does nothing for a folder that is not a known library.
    func recordCreation(_ folder: String) async throws {
        guard try await layout(of: folder) != nil, try await !wasCreated(folder) else { return }
        try await LatchError.converting { try await database.change { _ = try $0.run(Self.updateMade, folder) } }
    }

    /// Returns the folder that a person chose last for an account or for all, or nil if none was chosen. It is stored by
    /// server and e-mail address, so that it is still known after a sign-out and a new sign-in.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func folder(of account: Account) async throws -> String? {
        try await LatchError.converting {
            try await database.read {
                try $0.first(Self.selectFolder, account.serverURL.url, account.userEmail)
            }
        }
    }

    /// Stores the folder that a person has chosen for an account.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func remember(_ folder: String, for account: Account) async throws {
        try await LatchError.converting {
            try await database.change {
                _ = try $0.run(Self.upsertFolder, account.serverURL.url, account.userEmail, folder)
            }
        }
    }

    /// Stores a place as the last one.
    ///
    /// - Throws: `LatchError.Code.invalidRequest` when files wait for another folder; a `LatchError` with a
    ///   `storage` code.
    public func remember(_ place: LibraryLocation) async throws {
        try await LatchError.converting { try await database.change { try Self.remember(place, $0) } }
    }

    /// Checks that no files wait for a folder other than the given one.
    ///
    /// - Throws: `LatchError.Code.invalidRequest` when some do; a `LatchError` with a `storage` code.
    public func check(_ folder: String) async throws {
        try await LatchError.converting { try await database.read { try Self.check(folder, $0) } }
    }

    /// Whether files wait for the last folder. Failed files count when their parts are kept there.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func isAwaited() async throws -> Bool {
        try await LatchError.converting { try await database.read { try $0.first(Self.selectAwaited) } } != nil
    }

    /// Checks and stores a place in one transaction. All waiting files wait for the same folder, even when another
    /// program chooses a place at the same time.
    static func remember(_ place: LibraryLocation, _ connection: Connection) throws {
        try check(place.folder, connection)
        _ = try connection.run(upsert, place.folder, place.layout.rawValue, place.keepsMotionPhotos)
    }

    private static func check(_ folder: String, _ connection: Connection) throws {
        guard let last = try connection.first(selectLast), last.folder != folder,
            let isOpen = try connection.first(selectAwaited)
        else { return }
        throw LatchError(
            .invalidRequest,
            isOpen
                ? "Files are still waiting to be saved to '\(last.folder)'. Download or cancel them first."
                : "Received data of failed files is kept in '\(last.folder)'. Retry or clear them first.",
            remedy: isOpen ? .finishDownloads : .clearFailedDownloads)
    }

    /// True when tasks are unfinished, false when only failed tasks have kept their parts, no row otherwise.
    private static let selectAwaited = Statement(
        """
        SELECT 1 FROM download_counts WHERE state IN ('waiting', 'running', 'paused') AND count > 0 \
        UNION ALL SELECT 0 FROM downloads WHERE state = 'failed' AND resume IS NOT NULL LIMIT 1
        """
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    private static let columns = "folder, layout, motion_photos"

    private static let selectLast = Statement(
        "SELECT \(columns) FROM libraries ORDER BY used DESC LIMIT 1", row: place)

    private static let selectOne = Statement(
        "SELECT \(columns) FROM libraries WHERE folder = ?", String.self, row: place)

    private static let upsert = Statement(
        """
        INSERT INTO libraries (folder, layout, motion_photos, used) \
        VALUES (?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM libraries)) \
        ON CONFLICT DO UPDATE SET layout = excluded.layout, motion_photos = excluded.motion_photos, used = excluded.used
        """, String.self, String.self, Bool.self)

    private static let selectMade = Statement("SELECT is_made FROM libraries WHERE folder = ?", String.self) {
        row throws(DatabaseError) in try row.get(0) as Bool
    }

    private static let updateMade = Statement("UPDATE libraries SET is_made = 1 WHERE folder = ?", String.self)

    private static let selectFolder = Statement(
        """
        SELECT folder FROM download_folders WHERE server_url = ? AND user_email = ? OR server_url = '' \
        ORDER BY server_url DESC LIMIT 1
        """, String.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    static let upsertFolder = Statement(
        """
        INSERT INTO download_folders (server_url, user_email, folder) VALUES (?, ?, ?) \
        ON CONFLICT DO UPDATE SET folder = excluded.folder
        """, String.self, String.self, String.self)

    private static let place: @Sendable (SQLRow) throws(DatabaseError) -> LibraryLocation = {
        row throws(DatabaseError) in
        let layout: String = try row.get(1)
        return LibraryLocation(
            folder: try row.get(0), layout: LibraryLayout(rawValue: layout) ?? .flat,
            keepsMotionPhotos: try row.get(2))
    }
}
