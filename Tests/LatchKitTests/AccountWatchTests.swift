import Database
import Foundation
import TestSupport
import Testing

@testable import LatchKit

/// The list of accounts is read again only after a change of its files.
@Suite("Account watch", .timeLimit(.minutes(1)))
struct AccountWatchTests {
    @Test("RM-3 a change by another program wakes a watch that does not poll")
    func wakes() async throws {
        let home = try HomeFixture()
        let (mine, other) = (try await home.open().accounts, try await home.open().accounts)
        let watch = AccountWatch(
            database: mine.database, path: home.folders.database, pollInterval: .milliseconds(20), firstSettling: .zero)
        var names = watch.stream { $0.map(\.displayName) }.makeAsyncIterator()
        #expect(await names.next() == [])
        for name in ["ada", "bob"] {
            try await other.addAccount(
                Account(
                    displayName: name, serverURL: try ServerAddress("https://\(name).example.org"),
                    userEmail: "\(name)@example.org", apiKeyID: name, scopes: [], createdAt: home.clock.now,
                    dialect: DialectID(rawValue: "onyx")))
            #expect(await names.next()?.last == name)
        }
        await watch.close()
    }

    @Test("RM-3 without reports of the system the files are polled")
    func polls() async {
        let pause = ChangePause(paths: ["/missing/folder/file"], interval: .zero)
        #expect(await !pause.wait())
    }
}
