import TestSupport
import Testing

@testable import Database

/// The connections for long reads.
@Suite("Long reads", .timeLimit(.minutes(20)))
struct LongReadTests {
    @Test("long reads that occupy all their connections do not delay other reads")
    func separateConnections() async throws {
        let folder = try Folder()
        var configuration = DatabaseFixture.configuration(folder.database)
        configuration.longReaderCount = 2
        let database = try await Database.open(configuration, migrations: DatabaseFixture.migrations)
        let gate = Gate()
        let long = (0..<3).map { _ in Task { try await database.readLong { _ in gate.pass() } } }
        for _ in 0..<configuration.longReaderCount { await gate.waitUntilEntered() }
        _ = try await database.write { try $0.run(DatabaseFixture.insert, 7, "seven") }
        #expect(try await database.read { try $0.all(DatabaseFixture.ids) } == [7])
        for _ in long { gate.open() }
        for task in long { try await task.cancellableValue }
        #expect(try await database.readLong { try $0.all(DatabaseFixture.ids) } == [7])
        await database.close()
        await #expect(throws: DatabaseError.self) { try await database.readLong { _ in } }
    }

    @Test("a database without connections for long reads reads with the other ones", arguments: Storage.allCases)
    func sharedConnections(storage: Storage) async throws {
        let fixture = try await DatabaseFixture(storage)
        _ = try await fixture.database.write { try $0.run(DatabaseFixture.insert, 7, "seven") }
        #expect(try await fixture.database.readLong { try $0.all(DatabaseFixture.ids) } == [7])
    }
}
