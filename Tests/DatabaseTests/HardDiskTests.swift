import CLibrary
import Database
import TestSupport
import Testing

/// What only another user or a failing disk shows, each in a process of its own.
@Suite("Unwritable files", .timeLimit(.minutes(20)))
struct HardDiskTests {
    @Test("a file that is read-only for this user is reported as such")
    func readOnlyFile() async throws {
        let folder = try Folder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let fixture = try await DatabaseFixture(in: Folder(of: path))
            await fixture.database.close()
            try #require(chmod(fixture.folder.path, 0o755) == 0 && chmod(fixture.folder.database, 0o444) == 0)
            try dropPrivileges()
            let error = try await #require(throws: DatabaseError.self) { _ = try await reopen(fixture) }
            try #require(error.code == .readOnly, "\(error)")
            try #require(error.message.contains("'\(fixture.folder.database)'"))
            try #require(error.message.contains("cannot write to"))
        }
    }

    @Test("a folder in which this user cannot create the log, or without the file, is reported as such")
    func readOnlyFolder() async throws {
        let folder = try Folder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let fixture = try await DatabaseFixture(in: Folder(of: path))
            await fixture.database.close()
            try #require(chmod(fixture.folder.database, 0o666) == 0 && chmod(fixture.folder.path, 0o555) == 0)
            try dropPrivileges()
            let error = try await #require(throws: DatabaseError.self) { _ = try await reopen(fixture) }
            try #require(error.code == .readOnly, "\(error)")

            let missing = DatabaseFixture.configuration(fixture.folder.path + "/new.db")
            let second = try await #require(throws: DatabaseError.self) {
                _ = try await Database.open(missing, migrations: DatabaseFixture.migrations)
            }
            try #require(second.code == .readOnly && second.message.contains("could not be created"), "\(second)")
        }
    }

    @Test("a commit that the disk refuses fails for its whole group and stores nothing, and the next one works")
    func failingCommit() async throws {
        let folder = try Folder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let fixture = try await DatabaseFixture(in: Folder(of: path))
            try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 1, "before") }
            let gate = Gate()
            let slow = await gate.hold(fixture.database)
            let writes = (10..<20).map { id in
                fixture.database.queue { try $0.run(DatabaseFixture.insert, id, String(repeating: "x", count: 8192)) }
            }
            // The log may not grow any more: SQLite's write fails as on a disk that refuses.
            signal(SIGXFSZ, SIG_IGN)
            try FileSizeLimit.set(to: rlim_t(try fixture.folder.size("shelf.db-wal")))
            gate.open()
            _ = await slow.result
            for write in writes {
                let error = try #require(await failure(write))
                try #require(error.code == .io || error.code == .full, "\(error)")
            }
            try FileSizeLimit.set(to: rlim_t.max)
            try #require(try await fixture.ids() == [1])

            try await fixture.database.write { _ = try $0.run(DatabaseFixture.insert, 30, "after") }
            try #require(try await fixture.ids() == [1, 30])
            try #require(fixture.database.writeCount == 3)
        }
    }
}

private func reopen(_ fixture: DatabaseFixture) async throws -> Database {
    try await Database.open(
        DatabaseFixture.configuration(fixture.folder.database), migrations: DatabaseFixture.migrations)
}

/// The superuser may write anything: become somebody else, where we are it.
private func dropPrivileges() throws {
    guard getuid() == 0 else { return }
    try #require(setgid(65534) == 0 && setuid(65534) == 0)
}
