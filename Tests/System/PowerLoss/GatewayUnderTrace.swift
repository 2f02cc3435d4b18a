import Foundation
import TestSupport
import Testing

/// One run of the gateway from an empty disk, with clients, to an orderly end.
struct GatewayUnderTrace {
    static let settings = [
        "LATCHD_PASSWORDS_ARGON2_MEMORY": "8KiB", "LATCHD_DIALECTS_ONYX_REGISTRATION": "true",
        "LATCHD_GUARDS_ADDRESS_ATTEMPTS": "1000000", "LATCHD_GUARDS_ACCOUNT_ATTEMPTS": "1000000",
        "LATCHD_GUARDS_GENERAL_REQUESTS": "1000000", "LATCHD_SESSIONS_MAXIMUM_PER_PERSON": "10000",
    ]

    let root: String
    let events: [DiskEvent]

    static func run(_ random: inout SeededRandom) async throws -> GatewayUnderTrace {
        let fixture = try SystemFixture(settings)
        let root = fixture.folder.file("state")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        let file = fixture.folder.file("trace")
        let command = SystemCallTrace.command(file, [try Products.path("latchd"), "serve"], isDetached: true)
        let program = try RunningProgram(
            command[0], Array(command.dropFirst()),
            environment: fixture.environment.merging(["LATCHD_LISTEN": "127.0.0.1:0"]) { $1 })
        let line = try await program.line(containing: "listening")
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })

        try await withThrowingTaskGroup(of: KnownTokens.self) { group in
            for email in ["ada@example.org", "ben@example.org", "cyd@example.org"] {
                let random = random.split()
                group.addTask {
                    await CrashClient.run(email, knowing: KnownTokens(), random, port: port) { client in
                        try client.register(client.email)
                        for _ in 0..<120 { try client.workOnce() }
                    }
                }
            }
            for try await known in group { try #require(known.violations == []) }
        }
        program.send(SIGTERM)
        try #require(await program.waitForExit() == 0, "\(program.output)")
        // strace writes the end of its report after the program has ended.
        while try !SystemCallTrace.isWhole(file, of: program.id) {
            try Task.checkCancellation()
            await Task.yield()
        }

        var trace = SystemCallTrace(root: root)
        try trace.read(file)
        return GatewayUnderTrace(root: root, events: trace.events)
    }
}
