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
            let shelf = try await Shelf(in: Folder(of: path))
            await shelf.database.close()
            try #require(chmod(shelf.folder.path, 0o755) == 0 && chmod(shelf.folder.database, 0o444) == 0)
            try becomeNobody()
            let error = try await #require(throws: DatabaseError.self) { _ = try await reopen(shelf) }
            try #require(error.code == .readOnly, "\(error)")
            try #require(error.message.contains("'\(shelf.folder.database)'"))
            try #require(error.message.contains("cannot write to"))
        }
    }

    @Test("a folder in which this user cannot create the log, or without the file, is reported as such")
    func readOnlyFolder() async throws {
        let folder = try Folder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let shelf = try await Shelf(in: Folder(of: path))
            await shelf.database.close()
            try #require(chmod(shelf.folder.database, 0o666) == 0 && chmod(shelf.folder.path, 0o555) == 0)
            try becomeNobody()
            let error = try await #require(throws: DatabaseError.self) { _ = try await reopen(shelf) }
            try #require(error.code == .readOnly, "\(error)")

            let missing = Shelf.configuration(shelf.folder.path + "/new.db")
            let second = try await #require(throws: DatabaseError.self) {
                _ = try await Database.open(missing, migrations: Shelf.migrations)
            }
            try #require(second.code == .readOnly && second.message.contains("could not be created"), "\(second)")
        }
    }

    @Test("a commit that the disk refuses fails for its whole group and stores nothing, and the next one works")
    func failingCommit() async throws {
        let folder = try Folder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let shelf = try await Shelf(in: Folder(of: path))
            try await shelf.database.write { _ = try $0.run(Shelf.insert, 1, "before") }
            let gate = Gate()
            let slow = await gate.hold(shelf.database)
            let writes = (10..<20).map { id in
                shelf.database.queue { try $0.run(Shelf.insert, id, String(repeating: "x", count: 8192)) }
            }
            // The log may not grow any more: SQLite's write fails as on a disk that refuses.
            signal(SIGXFSZ, SIG_IGN)
            try FileSizeLimit.set(to: rlim_t(try shelf.folder.size("shelf.db-wal")))
            gate.open()
            _ = await slow.result
            for write in writes {
                let error = try #require(await failure(write))
                try #require(error.code == .io || error.code == .full, "\(error)")
            }
            try FileSizeLimit.set(to: rlim_t.max)
            try #require(try await shelf.ids() == [1])

            try await shelf.database.write { _ = try $0.run(Shelf.insert, 30, "after") }
            try #require(try await shelf.ids() == [1, 30])
            try #require(shelf.database.writeCount == 3)
        }
    }
}

private func reopen(_ shelf: Shelf) async throws -> Database {
    try await Database.open(Shelf.configuration(shelf.folder.database), migrations: Shelf.migrations)
}

/// The superuser may write anything: become somebody else, where we are it.
private func becomeNobody() throws {
    guard getuid() == 0 else { return }
    try #require(setgid(65534) == 0 && setuid(65534) == 0)
}
