import Database
import PostgreSQL
import Testing

@Suite("Changes by other gateways on PostgreSQL")
struct ChangeTests {
    @Test("the question after a commit of another gateway is answered with its messages")
    func messages() async throws {
        let fixture = try await ServerFixture()
        let other = try await fixture.other()
        #expect(try await fixture.database.externalChanges().isComplete == false)
        #expect(try await fixture.database.externalChanges().messages == [])
        for id in 1...50 {
            try await fixture.add(id, to: other)
            let changes = try await fixture.database.externalChanges()
            #expect(changes.messages == ["item \(id)"] && changes.isComplete)
        }
        await other.close()
    }

    @Test("a write that is rolled back sends no message")
    func rollback() async throws {
        let fixture = try await ServerFixture()
        _ = try await fixture.database.externalChanges()
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await fixture.database.write { connection in
                try connection.run(ServerFixture.insert, 1, "undone")
                throw Stop()
            }
        }
        #expect(try await fixture.database.externalChanges().messages == [])
    }

    @Test("the difference of the clocks is measured")
    func clock() async throws {
        let fixture = try await ServerFixture()
        let difference = try #require(try await fixture.database.externalChanges().clockDifference)
        #expect(abs(difference / .seconds(1)) < 30)
    }
}
