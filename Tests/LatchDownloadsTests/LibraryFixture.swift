import Crypto
import HTTPClient
import LatchKit
import SecretStorage
import TestSupport

@testable import LatchDownloads

/// A client that is signed in to a server with pictures.
struct LibraryFixture {
    let latch: LatchClient
    let account: Account
    let session: Session
    let home: TemporaryDirectory

    static func with(_ server: PictureServer, _ body: (LibraryFixture) async throws -> Void) async throws {
        let home = try TemporaryDirectory()
        let latch = try await LatchClient.open(.init(folders: Folders(data: home.path), secrets: MemoryStore()))
        try await attempt {
            let found = try await latch.probe(ServerAddress(server.url)).requireServer()
            let account = try await latch.signIn(
                PasswordSignIn(email: PictureServer.email, password: Secret(PictureServer.password)), to: found)
            try await body(
                LibraryFixture(latch: latch, account: account, session: try latch.session(for: account), home: home))
        } finally: {
            await latch.close()
        }
    }

    func browser() throws -> LibraryBrowser { try LibraryBrowser(account, session) }

    /// Returns the names of the files that a selection downloads.
    func names(_ selection: DownloadSelection) async throws -> [String] {
        var names: [String] = []
        for try await tasks in DownloadChooser(account, session).pages(of: selection) { names += tasks.map(\.filename) }
        return names.sorted()
    }
}
