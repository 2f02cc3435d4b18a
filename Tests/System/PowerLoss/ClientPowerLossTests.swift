import Foundation
import HTTPMessages
import TestSupport
import Testing

/// The power goes while `latch` signs in and out, and while a file is downloaded.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10))) struct ClientPowerLossTests {
    private static let cuts = 150

    @Test("after a power loss at any time, an account is complete or absent, as latch reported")
    func accounts() async throws {
        var random = SeededRandom(for: "Power cuts of latch")
        let fixture = try SystemFixture()
        let root = fixture.folder.file("data")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        let gateway = try await fixture.startGatewayWithPerson()
        var trace = SystemCallTrace(root: root)
        let login = [
            "login", gateway.address, "--email", SystemFixture.email, "--password-stdin",
        ]
        try await run([try Products.path("latch")] + login, in: fixture, into: &trace)
        let signedIn = trace.events.count
        let token = try await fixture.latch("token").output
        try await run([try Products.path("latch"), "logout"], in: fixture, into: &trace)
        await gateway.kill()

        var disk = Disk(root: root)
        var followed = 0
        for moment in moments(trace, signedIn, &random) {
            for number in followed..<moment { disk.follow(trace.events[number], number: number) }
            followed = moment
            let remains = try #require(Disk.UnflushedData.allCases.randomElement(using: &random))
            let comment = "cut before event \(moment), leaving \(remains), LATCHSTRING_SEED=\(random.seed)"
            let after = try SystemFixture()
            try disk.cutPower(leaving: remains, &random, to: after.folder.file("data"))
            let isThere = try await isSignedIn(after, token: token, comment)
            if moment == signedIn { try #require(isThere, "\(comment): the account is lost") }
            if moment == trace.events.count { try #require(!isThere, "\(comment): the account is back") }
        }
        print("\(Self.cuts) power cuts in \(trace.events.count) events of latch.")
    }

    @Test("after a power loss a download is complete or absent, and complete if the program reported it")
    func download() async throws {
        var random = SeededRandom(for: "Power cuts of a download")
        let fixture = try SystemFixture()
        let root = fixture.folder.file("files")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        let gateway = try await fixture.startGatewayWithPerson()
        var trace = SystemCallTrace(root: root)
        try await run(
            [try Products.path("DownloadProbe"), gateway.address + "/metrics", root + "/page"], in: fixture,
            into: &trace)
        let complete = try #require(FileManager.default.contents(atPath: root + "/page"))

        var disk = Disk(root: root)
        for moment in 0...trace.events.count {
            if moment > 0 { disk.follow(trace.events[moment - 1], number: moment - 1) }
            for remains in Disk.UnflushedData.allCases {
                let folder = try TemporaryDirectory()
                try disk.cutPower(leaving: remains, &random, to: folder.file("files"))
                let found = FileManager.default.contents(atPath: folder.file("files/page"))
                try #require(found == nil || found == complete, "cut before event \(moment), leaving \(remains)")
                if moment == trace.events.count { try #require(found == complete) }
            }
        }
    }

    /// Moments all over the run, and the two after which latch has said that it is done, each more than once.
    private func moments(_ trace: SystemCallTrace, _ signedIn: Int, _ random: inout SeededRandom) -> [Int] {
        let sample = (0..<Self.cuts).map { _ in Int.random(in: 0...trace.events.count, using: &random) }
        return (sample + [Int](repeating: signedIn, count: 8) + [Int](repeating: trace.events.count, count: 8)).sorted()
    }

    private func run(_ program: [String], in fixture: SystemFixture, into trace: inout SystemCallTrace) async throws {
        let file = fixture.folder.file("trace")
        let command = SystemCallTrace.command(file, program)
        let result = try await Program.run(
            command[0], Array(command.dropFirst()), environment: fixture.environment,
            input: SystemFixture.password + "\n")
        try #require(result.status == 0, "\(result.output) \(result.errors)")
        try trace.read(file)
    }

    /// Whether the account is there, with its token; there is no server any more.
    private func isSignedIn(_ fixture: SystemFixture, token: String, _ what: String) async throws -> Bool {
        // The list finishes nothing of what a dead program left; any other command does.
        _ = try await fixture.latch("logs")
        let list = try await fixture.latch("accounts", "--json")
        try #require(list.status == 0, "\(what): \(list.errors)")
        let accounts = try #require(try list.json()["accounts"]?.array)
        guard let account = accounts.first else {
            let sealed = FileManager.default.contents(atPath: fixture.folder.file("data/latchstring/secrets.sealed"))
            try #require([nil, 148].contains(sealed?.count), "\(what): a secret is left")
            return false
        }
        try #require(accounts.count == 1 && account["isSignedIn"]?.bool == true, "\(what): half an account")
        let found = try await fixture.latch("token")
        try #require(found.output == token, "\(what): \(found.errors)")
        return true
    }
}
