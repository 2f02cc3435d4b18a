import Database
import Foundation
import TestSupport
import Testing

enum Storage: CaseIterable {
    case file, memory
}

/// A database with one table, in a folder that goes with it.
final class DatabaseFixture: Sendable {
    static let applicationID: Int32 = 0x4C74_7374
    static let migrations = [
        Migration(to: 1, named: "items", "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;")
    ]
    static let insert = Statement("INSERT INTO items (id, name) VALUES (?, ?)", Int.self, String.self)
    static let ids = Statement("SELECT id FROM items ORDER BY id") { row throws(DatabaseError) in
        try row.get(0) as Int
    }

    let folder: Folder
    let database: Database

    init(
        _ storage: Storage = .file, busyTimeout: Duration = .milliseconds(50), in folder: Folder? = nil
    ) async throws {
        let folder = try folder ?? Folder()
        self.folder = folder
        let configuration =
            switch storage {
            case .file: DatabaseFixture.configuration(folder.database, busyTimeout)
            case .memory: Database.Configuration.inMemory(applicationID: Self.applicationID)
            }
        database = try await Database.open(configuration, migrations: Self.migrations)
    }

    static func configuration(_ path: String, _ busyTimeout: Duration = .milliseconds(50)) -> Database.Configuration {
        Database.Configuration(path: path, applicationID: applicationID, busyTimeout: busyTimeout)
    }

    func ids() async throws -> [Int] {
        try await database.read { try $0.all(Self.ids) }
    }
}

/// A new folder, removed with everything in it. Other users may read it.
///
/// All of them are in one folder, which is removed when the run ends: the threads of a database close its files after the
/// test, and may create one while its folder is being removed.
final class Folder: Sendable {
    let path: String
    private let isOurs: Bool

    private static let root: String = {
        let path = FileManager.default.temporaryDirectory.path + "/latch-database-\(UUID().uuidString)"
        atexit { TemporaryDirectory.removeAtExit(Folder.root) }
        return path
    }()

    init() throws {
        isOurs = true
        path = Self.root + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// A folder that another process made and will remove.
    init(of path: String) {
        isOurs = false
        self.path = path
    }

    deinit {
        guard isOurs else { return }
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        try? FileManager.default.removeItem(atPath: path)
    }

    var database: String { path + "/shelf.db" }

    func bytes() throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: database)))
    }

    func write(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: database))
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    func size(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return try #require(attributes[.size] as? Int)
    }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return try #require(attributes[.posixPermissions] as? Int)
    }
}

/// The code of the error that `body` throws, or nil when it throws none.
func code(_ body: () throws -> some Any) -> DatabaseError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? DatabaseError)?.code
    }
}
