import TestSupport
import Testing

/// Both programs, started with a standard stream closed.
@Suite("Closed standard streams", .blocking, .inTurn, .timeLimit(.minutes(20))) struct ClosedStreamsTests {
    /// What a shell runs, and the exit code.
    static let commands: [(program: String, words: String, status: Int32)] = [
        ("latch", "accounts >&-", 0), ("latch", "--version >&-", 0), ("latch", "whoami >&-", 77),
        ("latch", "frob 2>&-", 64), ("latch", "accounts <&-", 0), ("latch", "accounts <&- >&- 2>&-", 0),
        ("latchd", "user list >&-", 66), ("latchd", "check >&-", 0), ("latchd", "frob 2>&-", 64),
        ("latchd", "check <&- >&- 2>&-", 0),
    ]

    @Test("a command ends as usual with a closed stream", arguments: commands.indices)
    func closed(_ index: Int) async throws {
        let (program, words, status) = Self.commands[index]
        let fixture = try SystemFixture()
        let path = try Products.path(program)
        let result = try await Program.run(
            "/usr/bin/timeout", ["\(SuccessTimeout.seconds)", "sh", "-c", "exec \"$0\" \(words)", path],
            environment: fixture.environment)
        #expect(result.status == status, "\(program) \(words): \(result.output)\(result.errors)")
    }
}
