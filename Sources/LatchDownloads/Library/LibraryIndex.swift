import Database
import FoundationEssentials
import HTTPClient
import LatchKit

/// The files in a library's folder, as recorded in the accounts database.
struct LibraryIndex: Sendable {
    let database: DownloadDatabase
    let folder: String

    /// A file that was saved to the folder.
    struct Entry: Sendable, Equatable {
        /// The path of the file, relative to the folder.
        var path: String
        /// The SHA-1 digest that the server reported for the file at that time. Nil when unknown.
        var sha1: [UInt8]?
        /// The version that the server reported at that time, as JSON of a `ResumePoint`. Only set when a person gave the
        /// file's address. Decoded when it is needed, because most entries are read only for their path.
        var version: String?
    }

    /// Returns the entries of the given keys, as far as they are known.
    func entries(_ keys: [String]) async throws -> [String: Entry] {
        let folder = folder
        return try await LatchError.converting {
            try await database.read { connection in
                var found: [String: Entry] = [:]
                for key in keys { found[key] = try connection.first(Self.select, folder, key) }
                return found
            }
        }
    }

    /// Whether no file of the folder is recorded.
    func isEmpty() async throws -> Bool {
        let folder = folder
        return try await LatchError.converting { try await database.read { try $0.first(Self.selectAny, folder) } }
            == nil
    }

    /// Whether at least one of the recorded files exists. Contents are not compared.
    func hasFiles() async throws -> Bool {
        // A mount point without its drive is empty; its files are then not looked up one by one.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder), !names.isEmpty else {
            return false
        }
        var last = ""
        while true {
            let (folder, key) = (folder, last)
            let page = try await LatchError.converting {
                try await database.read { try $0.all(Self.selectPage, folder, key) }
            }
            if page.contains(where: { DownloadPart.size(of: folder + "/" + $0.path) != nil }) { return true }
            guard let end = page.last else { return false }
            last = end.key
        }
    }

    /// Records a file in a transaction of the caller.
    func record(_ key: String, _ entry: Entry, in connection: Connection) throws {
        _ = try connection.run(Self.upsert, folder, key, entry.path, entry.sha1, entry.version)
    }

    /// Removes the other entries with the path of a file. Those files were removed before this one was saved, and no
    /// attribute distinguishes them.
    func removeOtherEntries(at path: String, except key: String, in connection: Connection) throws {
        _ = try connection.run(Self.removeOthers, folder, path, key)
    }

    /// Records the paths of files that were found by their attributes. A file that is still at its recorded path is the
    /// older copy, and remains recorded.
    func found(_ files: [(key: String, path: String)]) async throws {
        let folder = folder
        try await LatchError.converting {
            try await database.write { connection in
                for file in files {
                    guard let old = try connection.first(Self.select, folder, file.key) else {
                        _ = try connection.run(Self.upsert, folder, file.key, file.path, nil, nil)
                        continue
                    }
                    guard old.path != file.path, !holds(file.key, at: old.path) else { continue }
                    _ = try connection.run(Self.move, file.path, folder, file.key)
                }
            }
        }
    }

    /// Whether the file at a path below the folder belongs to a key. A file without the attribute does: it was edited
    /// with a program that drops attributes, or the file system stores none. A file with another key is another picture
    /// with the same name.
    func holds(_ key: String, at path: String) -> Bool {
        switch DownloadPart.mark(PictureLibrary.attribute, at: folder + "/" + path) {
        case .noFile: false
        case .unmarked: true
        case .marked(let mark): mark.lowercased() == key
        }
    }

    private static let select = Statement(
        "SELECT path, sha1, version FROM library_files WHERE folder = ? AND key = ?", String.self, String.self
    ) { row throws(DatabaseError) in
        Entry(path: try row.get(0), sha1: try row.get(1), version: try row.get(2))
    }

    private static let selectAny = Statement("SELECT 1 FROM library_files WHERE folder = ? LIMIT 1", String.self) {
        row throws(DatabaseError) in try row.get(0) as Int
    }

    private static let selectPage = Statement(
        "SELECT key, path FROM library_files WHERE folder = ? AND key > ? ORDER BY key LIMIT 500", String.self,
        String.self
    ) { row throws(DatabaseError) in (key: try row.get(0) as String, path: try row.get(1) as String) }

    private static let upsert = Statement(
        """
        INSERT INTO library_files (folder, key, path, sha1, version) VALUES (?, ?, ?, ?, ?) \
        ON CONFLICT DO UPDATE SET path = excluded.path, sha1 = excluded.sha1, version = excluded.version
        """, String.self, String.self, String.self, [UInt8]?.self, String?.self)

    private static let removeOthers = Statement(
        "DELETE FROM library_files WHERE folder = ? AND path = ? AND key <> ?", String.self, String.self, String.self)

    private static let move = Statement(
        "UPDATE library_files SET path = ? WHERE folder = ? AND key = ?", String.self, String.self, String.self)
}
