import Database
import FoundationEssentials
import HTTPClient
import LatchKit

/// What is in a library's folder, as the accounts database remembers it.
struct LibraryIndex: Sendable {
    let database: Database
    let folder: String

    /// A file that was brought there.
    struct Entry: Sendable, Equatable {
        /// Its path below the folder.
        var path: String
        /// The SHA-1 of what the server had then, where it told.
        var sha1: [UInt8]?
    }

    /// Those of some keys that are known.
    func entries(_ keys: [String]) async throws -> [String: Entry] {
        let folder = folder
        return try await LatchError.telling {
            try await database.read { connection in
                var found: [String: Entry] = [:]
                for key in keys { found[key] = try connection.first(Self.select, folder, key) }
                return found
            }
        }
    }

    /// Whether nothing is known of the folder.
    func isEmpty() async throws -> Bool {
        let folder = folder
        return try await LatchError.telling { try await database.read { try $0.first(Self.selectAny, folder) } } == nil
    }

    /// Notes a file, in a commit of somebody else's.
    func note(_ key: String, _ entry: Entry, in connection: Connection) throws {
        _ = try connection.run(Self.upsert, folder, key, entry.path, entry.sha1)
    }

    /// Notes where files are that were found by what is put on them. One that is still where it was known to be is the
    /// older copy, and stays the one that is known.
    func found(_ files: [(key: String, path: String)]) async throws {
        let folder = folder
        try await LatchError.telling {
            try await database.write { connection in
                for file in files {
                    guard let old = try connection.first(Self.select, folder, file.key) else {
                        _ = try connection.run(Self.upsert, folder, file.key, file.path, nil)
                        continue
                    }
                    guard old.path != file.path, !holds(file.key, at: old.path) else { continue }
                    _ = try connection.run(Self.move, file.path, folder, file.key)
                }
            }
        }
    }

    /// Whether the file at a path below the folder is that of a key. One that tells nothing is: it was edited with a
    /// program that leaves no attributes, or the file system keeps none. One that tells another key is another picture
    /// under its name.
    func holds(_ key: String, at path: String) -> Bool {
        switch DownloadPart.mark(PictureLibrary.attribute, at: folder + "/" + path) {
        case .noFile: false
        case .unmarked: true
        case .marked(let mark): mark.lowercased() == key
        }
    }

    private static let select = Statement(
        "SELECT path, sha1 FROM library_files WHERE folder = ? AND key = ?", String.self, String.self
    ) { row throws(DatabaseError) in Entry(path: try row.get(0), sha1: try row.get(1)) }

    private static let selectAny = Statement("SELECT 1 FROM library_files WHERE folder = ? LIMIT 1", String.self) {
        row throws(DatabaseError) in try row.get(0) as Int
    }

    private static let upsert = Statement(
        """
        INSERT INTO library_files (folder, key, path, sha1) VALUES (?, ?, ?, ?) \
        ON CONFLICT DO UPDATE SET path = excluded.path, sha1 = excluded.sha1
        """, String.self, String.self, String.self, [UInt8]?.self)

    private static let move = Statement(
        "UPDATE library_files SET path = ? WHERE folder = ? AND key = ?", String.self, String.self, String.self)
}
