import CLibrary
import Crypto
import Database
import FoundationEssentials
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Copies between real databases of both kinds.
@Suite("Copies and backups of the database", .timeLimit(.minutes(5)))
struct DatabaseCopyTests {
    private static let sessions = Statement("SELECT id FROM sessions ORDER BY rowid") { row throws(DatabaseError) in
        try row.get(0) as String
    }

    /// Opens stores with two people, sessions, a client with tokens, a code and a row of each truth value.
    /// More sessions than one batch may live.
    private static let lifetime = SessionLifetime(maximumPerPerson: 5_000)

    private static func filled(_ location: DatabaseLocation) async throws -> GatewayStores {
        let stores = try await open(location)
        let ada = try await stores.people.add(email: "ada@example.org", name: "Ädä 🦆", password: Secret("a long one 7"))
        _ = try await stores.people.add(email: "bob@example.org", name: nil, password: Secret("a long one 8"))
        let issuer = StatefulSessionIssuer(database: stores.database, lifetime: lifetime, now: { Date() })
        for number in 0..<1_100 {
            _ = try await issuer.issue(for: ada, device: SessionDevice(name: "Phone \(number)"), token: .opaque)
        }
        try await stores.database.write { connection in
            try connection.run(
                Statement(
                    "INSERT INTO one_time_codes (digest, record, expires_at) VALUES (?, ?, 1)", [UInt8].self,
                    [UInt8].self),
                [1, 2, 0], [])
            try connection.run(Statement("UPDATE people SET is_admin = TRUE WHERE email = ?", String.self), ada.email)
        }
        try await addClient(of: ada, to: stores)
        return stores
    }

    /// Adds a client with a secret, and tokens of one without, of which the last response was not used.
    private static func addClient(of person: Person, to stores: GatewayStores) async throws {
        _ = try await stores.clients.add(name: "Web", redirects: ["https://a.example/"], isConfidential: true)
        let app = try await stores.clients.add(name: "App", redirects: ["a:/b"], isConfidential: false).client
        let grant = ClientGrant(client: app.id, scopes: ["openid"])
        try await stores.clients.allow(grant, by: person.id)
        let tokens = ClientSessionStore(
            database: stores.database, key: .random(32), lifetime: lifetime,
            accessTokenLifetime: .seconds(600), maximumRegistered: 1_000, enforcesPasswordChange: true,
            audit: stores.audit, now: { Date() })
        let issued = try await tokens.issue(
            grant, to: app, for: person, device: SessionDevice(name: "App"), id: .random(), authenticated: Date(),
            from: .random())
        _ = try await tokens.refresh(issued.refreshToken.reveal(), of: app)
    }

    private static func open(_ location: DatabaseLocation) async throws -> GatewayStores {
        var settings = GatewaySettings(databasePath: nil)
        settings.database = location
        settings.hashing.parameters = try Argon2idParameters(memoryKiB: 8, iterations: 1)
        settings.sessions.maximumPerPerson = 5_000
        return try await GatewayStores.open(settings, logWriter: LogWriter { _ in })
    }

    @Test("a copy that is cancelled in the middle writes nothing")
    func cancelled() async throws {
        let folder = try TemporaryDirectory()
        let source = try await Self.filled(.file(folder.file("a.db")))
        let server = try await PostgreSQLServer.running()
        let address = try await server.createDatabase()
        let name = PostgreSQLServer.name(ofDatabaseAt: address)
        let target = try await DatabaseLocation.server(PostgreSQLAddress(address)).open(isBulk: true)
        let release = try await server.hold("LOCK TABLE one_time_codes IN SHARE MODE", in: name)

        let copy = Task { try await DatabaseCopy.run(from: source.database, to: target) }
        let waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'one_time_codes'::regclass AND NOT granted"
        try await eventually { try await server.query(waiting, in: name) == "1\n" }
        copy.cancel()
        try await release()

        await #expect(throws: CancellationError.self) { try await copy.value }
        #expect(try await server.query("SELECT count(*) FROM people", in: name) == "0\n")
        await target.close()
        await source.close()
    }

    @Test("the progress names each table, and counts its rows after each batch")
    func progress() async throws {
        let folder = try TemporaryDirectory()
        let source = try await Self.filled(.file(folder.file("a.db")))
        let target = try await DatabaseLocation.file(folder.file("b.db")).open()
        let all = Mutex<[DatabaseCopy.Progress]>([])

        _ = try await DatabaseCopy.run(from: source.database, to: target) { progress in
            all.withLock { $0.append(progress) }
        }
        await target.close()
        await source.close()

        let copying = all.withLock { $0.filter { $0.step == .copying } }
        #expect(copying.filter { $0.rows == 0 }.map(\.table) == DatabaseCopy.tables)
        #expect(copying.filter { $0.table == "sessions" }.map(\.rows) == [0, 1_000, 1_101])
        #expect(copying.filter { $0.table == "people" }.map(\.rows) == [0, 2])
        let compared = all.withLock { Set($0.filter { $0.step == .comparing }.map(\.table)) }
        #expect(compared == Set(DatabaseCopy.tables))
    }

    @Test("everything is copied from SQLite to PostgreSQL and back, and a repeated copy changes nothing")
    func roundTrip() async throws {
        let folder = try TemporaryDirectory()
        let source = try await Self.filled(.file(folder.file("a.db")))
        let server = try await TestDatabase.server()
        let middle = try await server.open(isBulk: true)
        let end = try await DatabaseLocation.file(folder.file("b.db")).open()

        let copied = try await DatabaseCopy.run(from: source.database, to: middle)
        guard case .copied(let tables) = copied else { throw Exchange.Broken() }
        #expect(tables.first { $0.name == "people" }?.count == 2 && tables.count == DatabaseCopy.tables.count)
        #expect(tables.first { $0.name == "access_tokens" }?.count == 2)
        guard case .wasComplete = try await DatabaseCopy.run(from: source.database, to: middle) else {
            throw Exchange.Broken()
        }
        _ = try await DatabaseCopy.run(from: middle, to: end)
        for database in [middle, end] {
            let found = try await database.read { try $0.all(Self.sessions) }
            #expect(try await source.database.read { try $0.all(Self.sessions) } == found)
        }
        await middle.close()
        // New rows get numbers after the copied ones.
        let stores = try await Self.open(server)
        let ada = try await stores.people.require("ada@example.org")
        let issuer = StatefulSessionIssuer(database: stores.database, lifetime: SessionLifetime(), now: { Date() })
        let last = try await issuer.issue(for: ada, device: SessionDevice(name: "New"), token: .opaque)
        #expect(try await stores.database.read { try $0.all(Self.sessions) }.last == last.session.rawValue)
        for database in [source.database, end, stores.database] { await database.close() }
    }

    @Test("every table of the schema is copied")
    func tables() async throws {
        let database = try await DatabaseLocation.memory.open()
        let names = try await database.read { connection in
            try connection.all(
                Statement("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") {
                    row throws(DatabaseError) in try row.get(0) as String
                })
        }
        #expect(Set(names) == Set(DatabaseCopy.tables))
        let server = try await TestDatabase.server().open()
        for table in DatabaseCopy.tables {
            let columns = try await database.read { try $0.columns(of: table) }
            let served = try await server.read { try $0.columns(of: table) }.filter { $0.name != "rowid" }
            #expect(Set(columns.map(\.name)) == Set(served.map(\.name)), "\(table)")
        }
        await server.close()
        #expect(Schema.migrations.last?.version == Schema.postgreSQLMigrations.last?.version)
    }

    @Test("a target with other rows is refused, and a copy that fails leaves it empty")
    func refused() async throws {
        let folder = try TemporaryDirectory()
        let source = try await Self.filled(.file(folder.file("a.db")))
        let other = try await Self.open(.file(folder.file("b.db")))
        _ = try await other.people.add(email: "eve@example.org", name: nil, password: Secret("a long one 9"))
        await #expect(throws: GatewayError.self) {
            try await DatabaseCopy.run(from: source.database, to: other.database)
        }
        #expect(try await other.people.list().map(\.email) == ["eve@example.org"])

        // PostgreSQL cannot store NUL, so the comparison fails.
        _ = try await source.database.write { connection in
            try connection.run(
                Statement("UPDATE people SET name = ? WHERE email = 'bob@example.org'", String.self), "a\0b")
        }
        let server = try await TestDatabase.server().open(isBulk: true)
        await #expect(throws: GatewayError.self) { try await DatabaseCopy.run(from: source.database, to: server) }
        #expect(try await server.read { try $0.all(Self.sessions) } == [])
        for database in [source.database, other.database, server] { await database.close() }
    }

    @Test("a backup is written while the gateway writes, does not replace a file, and is restored")
    func backup() async throws {
        let folder = try TemporaryDirectory()
        let stores = try await Self.filled(try await TestDatabase.location(in: folder))
        let writing = Task {
            var count = 0
            while !Task.isCancelled {
                _ = try await stores.people.add(
                    email: "new\(count)@example.org", name: nil, password: Secret("a long one 7"))
                count += 1
            }
        }
        let path = folder.file("backup.db")
        let tables = try await DatabaseBackup.write(stores.database, to: path)
        writing.cancel()
        await #expect(throws: GatewayError.self) { try await DatabaseBackup.write(stores.database, to: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains(".part") })

        let target = DatabaseLocation.file(folder.file("new/restored.db"))
        #expect(try await DatabaseBackup.read(path, into: target).tables == tables)
        let text = try folder.write("no database at all", to: "text")
        let error = await #expect(throws: GatewayError.self) { try await DatabaseBackup.read(text, into: target) }
        #expect(error?.message.hasPrefix("Could not restore the backup '\(text)': it is not a backup") == true)
        _ = await writing.result
        await stores.close()
    }

    @Test("a backup replaces no link and deletes nothing but what killed commands left")
    func leftovers() async throws {
        let folder = try TemporaryDirectory()
        let database = try await DatabaseLocation.file(folder.file("a.db")).open()
        let path = folder.file("backup.db")
        func make(_ name: String, with file: String?) throws {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
            if let file { try folder.write("", to: "\(name)/\(file)") }
        }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("nothing"))
        await #expect(throws: GatewayError.self) { try await DatabaseBackup.write(database, to: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).contains("nothing") == false)
        try FileManager.default.removeItem(atPath: path)

        try make("backup.db.abcdefgh.part", with: "latchd.db-wal")
        try make("backup.db.12345678.part", with: "of another program")
        try make("backup.db.longerthanthat.part", with: nil)
        try folder.write("", to: "backup.db.abcdABCD.part")
        // As a backup that still runs.
        let running = try WorkFolder(path, to: "test")
        _ = try await DatabaseBackup.write(database, to: path)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".part") }
        let expected = ["12345678", "longerthanthat", "abcdABCD"].map { "backup.db.\($0).part" }
        #expect(Set(left) == Set(expected + [String(running.path.dropFirst(folder.path.count + 1))]))
        running.remove()

        try make("a.db.restore.abcdefgh.part", with: "latchd.db")
        DatabaseBackup.removeAbandonedCopies(of: .file(folder.file("a.db")))
        #expect(!FileManager.default.fileExists(atPath: folder.file("a.db.restore.abcdefgh.part")))
        await database.close()
    }

    @Test("a backup that a symbolic link names is not changed by a restoration, also if it is of an older version")
    func linkedBackup() async throws {
        let folder = try TemporaryDirectory()
        let (backup, link) = (folder.file("backup.db"), folder.file("link.db"))
        let old = try await Database.open(
            .init(path: backup, applicationID: Schema.applicationID), migrations: Array(Schema.migrations.prefix(16)))
        try await old.checkpoint()
        await old.close()
        let before = try Array(Data(contentsOf: URL(fileURLWithPath: backup)))
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: backup)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: backup)

        _ = try await DatabaseBackup.read(link, into: .file(folder.file("b.db")))
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: backup))) == before)
        #expect(FilePermissions(path: backup)?.bits == 0o400)

        try folder.write("changes", to: "backup.db-wal")
        let error = await #expect(throws: GatewayError.self) {
            try await DatabaseBackup.read(link, into: .file(folder.file("c.db")))
        }
        #expect(error?.message.contains("it is a database in use") == true)
    }

    @Test("a work folder is not created where another user could replace it")
    func sharedFolders() throws {
        let folder = try TemporaryDirectory()
        for (mode, isAllowed) in [(0o777, false), (0o775, false), (0o1777, true), (0o755, true)] {
            try FileManager.default.createDirectory(atPath: folder.file("\(mode)"), withIntermediateDirectories: false)
            #expect(unsafe chmod(folder.file("\(mode)"), mode_t(mode)) == 0)
            let work = try? WorkFolder(folder.file("\(mode)/backup.db"), to: "test")
            #expect((work != nil) == isAllowed, "\(mode)")
            work?.remove()
        }
        guard geteuid() == 0 else { return }
        #expect(unsafe chown(folder.file("\(0o755)"), 65_534, 0) == 0)
        let error = #expect(throws: GatewayError.self) { try WorkFolder(folder.file("\(0o755)/backup.db"), to: "test") }
        #expect(error?.message.contains("belongs to another user (uid 65534); run this as that user") == true)
    }

    @Test("a copy is not written where another user could replace a folder above it")
    func foldersAbove() throws {
        let folder = try TemporaryDirectory()
        let (above, own) = (folder.file("above"), folder.file("above/own"))
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        #expect(unsafe chmod(own, 0o700) == 0)
        for (mode, isAllowed) in [(0o755, true), (0o775, true), (0o777, false), (0o1777, true)] {
            #expect(unsafe chmod(above, mode_t(mode)) == 0)
            let isRefused = (try? ParentFolder.requireOwn(of: own + "/copy.db", allowsSticky: false, to: "test")) == nil
            #expect(isRefused != isAllowed, "\(mode)")
        }
        // The folder that a link leads to is this user's, but others can replace the link.
        let (shared, linked) = (folder.file("shared"), folder.file("linked"))
        for path in [shared, linked + "/inner"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: shared + "/link", withDestinationPath: linked)
        // A link that leads to the link in the shared folder, and a path from the current folder to it.
        try FileManager.default.createSymbolicLink(atPath: folder.file("chain"), withDestinationPath: "shared/link")
        let up = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in ".." }.joined(separator: "/")
        for (mode, isAllowed) in [(0o755, true), (0o777, false)] {
            #expect(unsafe chmod(shared, mode_t(mode)) == 0)
            for path in [
                shared + "/link/copy.db", shared + "/link/inner/copy.db", folder.file("chain/inner/copy.db"),
                folder.file("above/own/../../chain/copy.db"), "\(up)\(shared)/link/copy.db",
            ] {
                let isRefused = (try? ParentFolder.requireOwn(of: path, allowsSticky: false, to: "test")) == nil
                #expect(isRefused != isAllowed, "\(mode) \(path)")
            }
        }
        // In a folder with the sticky bit others can still add a link of their own, and change that one.
        #expect(unsafe chmod(shared, 0o1777) == 0)
        let path = shared + "/link/copy.db"
        try ParentFolder.requireOwn(of: path, allowsSticky: false, to: "test")
        guard geteuid() == 0 else { return }
        #expect(unsafe lchown(shared + "/link", 65_534, 0) == 0)
        #expect(throws: GatewayError.self) {
            try ParentFolder.requireOwn(of: path, allowsSticky: false, to: "test")
        }
    }

    @Test("a copy is not written where another user could read or replace it")
    func sharedTargets() throws {
        let folder = try TemporaryDirectory()
        for (mode, isAllowed) in [(0o777, false), (0o775, false), (0o1777, false), (0o755, true), (0o700, true)] {
            try FileManager.default.createDirectory(atPath: folder.file("\(mode)"), withIntermediateDirectories: false)
            #expect(unsafe chmod(folder.file("\(mode)"), mode_t(mode)) == 0)
            let file = folder.file("\(mode)/copy.db")
            let isRefused = (try? ParentFolder.requireOwn(of: file, allowsSticky: false, to: "test")) == nil
            #expect(isRefused == !isAllowed, "\(mode)")
        }
        let file = folder.file("copy.db")
        try ParentFolder.requirePrivate(file, to: "test")
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        for (mode, isAllowed) in [(0o666, false), (0o640, false), (0o600, true)] {
            #expect(unsafe chmod(file, mode_t(mode)) == 0)
            #expect(((try? ParentFolder.requirePrivate(file, to: "test")) != nil) == isAllowed, "\(mode)")
        }
        guard geteuid() == 0 else { return }
        #expect(unsafe chown(file, 65_534, 0) == 0)
        let error = #expect(throws: GatewayError.self) { try ParentFolder.requirePrivate(file, to: "test") }
        #expect(error?.message.contains("belongs to another user (uid 65534); name another file") == true)
    }

    @Test("the status names the version and what a commit waits for, and changes nothing")
    func status() async throws {
        let folder = try TemporaryDirectory()
        let missing = DatabaseLocation.file(folder.file("none.db"))
        await #expect(throws: DatabaseError.self) { try await DatabaseStatus.read(missing) }
        #expect(!FileManager.default.fileExists(atPath: folder.file("none.db")))
        let empty = try await TestDatabase.server()
        #expect(try await DatabaseStatus.read(empty).schemaVersion == 0)
        try await empty.open().close()
        let status = try await DatabaseStatus.read(empty)
        #expect(status.schemaVersion == DatabaseLocation.schemaVersion && status.counts?.people == 0)
        // The server of the tests does not flush.
        #expect(status.durability.contains("fsync = off") && !status.hasConfirmedCopy)
    }
}
