import Database
import FoundationEssentials
import HTTPClient
import LatchKit
import Wire

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
        /// What the server had then, where a person gave its address.
        var version: ResumePoint?
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

    /// Whether at least one of the known files exists; their contents are not compared.
    func hasFiles() async throws -> Bool {
        // A mount point without its drive is empty: the files are not looked for one by one then.
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder), !names.isEmpty else {
            return false
        }
        var last = ""
        while true {
            let (folder, key) = (folder, last)
            let page = try await LatchError.telling {
                try await database.read { try $0.all(Self.selectPage, folder, key) }
            }
            if page.contains(where: { DownloadPart.size(of: folder + "/" + $0.path) != nil }) { return true }
            guard let end = page.last else { return false }
            last = end.key
        }
    }

    /// Notes a file, in a commit of somebody else's.
    func note(_ key: String, _ entry: Entry, in connection: Connection) throws {
        let version = entry.version.map(DownloadStore.json)
        _ = try connection.run(Self.upsert, folder, key, entry.path, entry.sha1, version)
    }

    /// Forgets what else was at a file's place: it was removed before this one came, and no attribute tells the two apart.
    func forget(at path: String, but key: String, in connection: Connection) throws {
        _ = try connection.run(Self.removeOthers, folder, path, key)
    }

    /// Notes where files are that were found by what is put on them. One that is still where it was known to be is the
    /// older copy, and stays the one that is known.
    func found(_ files: [(key: String, path: String)]) async throws {
        let folder = folder
        try await LatchError.telling {
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
        "SELECT path, sha1, version FROM library_files WHERE folder = ? AND key = ?", String.self, String.self
    ) { row throws(DatabaseError) in
        let version: String? = try row.get(2)
        return Entry(
            path: try row.get(0), sha1: try row.get(1),
            version: version.flatMap { try? JSON.decode(ResumePoint.self, from: Array($0.utf8)) })
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
