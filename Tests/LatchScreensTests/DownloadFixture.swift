import Crypto
import Database
import Foundation
import LatchKit
import SecretStorage
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads
@testable import LatchScreens

/// A person signed in to a server of files, the screen of downloads, and another program that downloads.
@MainActor
final class DownloadFixture {
    let latch: LatchClient
    let account: Account
    let screen: DownloadsScreen
    let folder: TemporaryDirectory
    let environment: [String: String]
    private let server: FaultServer
    private let other: LatchClient
    private let fault = Mutex<@Sendable (FaultServer.Request) -> FaultServer.Response?>({ _ in nil })
    private var running: Task<Void, Never>?
    private var downloads: Task<Void, any Error>?

    /// The bytes of every file.
    nonisolated static let bytes = patternBytes(200_000)

    private init(network: AsyncStream<NetworkState>?) async throws {
        folder = try TemporaryDirectory()
        let nowhere = "unix:path=\(folder.path)/nowhere"
        environment = [
            "HOME": folder.path, "PATH": folder.path,
            "DBUS_SESSION_BUS_ADDRESS": nowhere, "DBUS_SYSTEM_BUS_ADDRESS": nowhere,
        ]
        let response = Mutex<@Sendable (FaultServer.Request) -> FaultServer.Response>({ _ in .init(status: 503) })
        server = try FaultServer { request in response.withLock { $0 }(request) }
        let (secrets, folders) = (MemoryStore(), try Folders(environment: environment))
        func open() async throws -> LatchClient {
            var configuration = LatchClient.Configuration(
                folders: folders, secrets: secrets, pollInterval: .milliseconds(20))
            if let network { configuration.network = { network } }
            return try await LatchClient.open(configuration)
        }
        (latch, other) = (try await open(), try await open())
        response.withLock { response in response = { Self.signIn($0) ?? .init(status: 404) } }
        let found = try await latch.probe(ServerAddress("http://127.0.0.1:\(server.port)")).requireServer()
        account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: found)
        screen = DownloadsScreen(latch, environment: environment, interval: .milliseconds(5))
        screen.program = folder.path + "/latch"
        try await LibraryLocations(latch).remember(LibraryLocation(folder: folder.path + "/Library"))
        server.script { [weak self] request in self?.response(request) ?? .init(status: 503) }
    }

    /// Runs `body` with a fixture whose screen is shown, and closes everything after it.
    static func with(
        network: AsyncStream<NetworkState>? = nil, _ body: (DownloadFixture) async throws -> Void
    ) async throws {
        let fixture = try await DownloadFixture(network: network)
        fixture.running = Task { await fixture.screen.run() }
        try await attempt {
            try await body(fixture)
        } finally: {
            fixture.running?.cancel()
            await fixture.running?.value
            await fixture.stop()
            await fixture.latch.close()
            await fixture.other.close()
        }
    }

    /// Answers before the rules do, where it gives an answer.
    func intercept(_ response: @escaping @Sendable (FaultServer.Request) -> FaultServer.Response?) {
        fault.withLock { $0 = response }
    }

    /// Signs in to the server by another name of it, which makes another account.
    func signInElsewhere() async throws -> Account {
        let found = try await latch.probe(ServerAddress("http://localhost:\(server.port)")).requireServer()
        return try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: found)
    }

    /// Adds files to the queue, by another program.
    func add(_ names: [String], of other: Account? = nil) async throws {
        let id = (other ?? account).id
        try await queue().add(
            names.map { DownloadTask(id: $0, account: id, url: "/files/\($0)", filename: $0, group: .file) })
    }

    /// Downloads what waits, by another program. With a reason, it waits instead.
    func download(waitingFor reason: WaitReason? = nil) async throws {
        let queue = try queue()
        if let reason { await queue.pauseAll(reason: reason) }
        downloads = Task { try await queue.run() }
    }

    /// Waits until the other program has nothing to download.
    func finish() async throws { try await downloads?.value }

    /// Stops the other program.
    func stop() async {
        downloads?.cancel()
        _ = await downloads?.result
        downloads = nil
    }

    /// The queue as another program has it.
    func queue() throws -> DownloadQueue {
        DownloadQueue(other, library: FolderLibrary(folder: folder.path + "/Library"))
    }

    /// Writes the program that downloads in the background. It records its arguments, and ends at once.
    func installProgram() throws {
        let path = folder.path + "/latch"
        try Data("#!/bin/sh\necho \"$@\" >> '\(folder.path)/started'\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }

    /// The arguments of the programs that were started in the background.
    var started: [String] {
        let text = FileManager.default.contents(atPath: folder.path + "/started").map {
            String(decoding: $0, as: UTF8.self)
        }
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    /// Puts so many files into the queue without a client, as fast as SQLite can.
    func fill(_ count: Int, state: String) async throws {
        let (id, host) = (account.id, account.serverURL.authority)
        _ = try await queue().progress()
        try await latch.accounts.database.write { connection in
            _ = try connection.run(
                Statement(
                    """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                    INSERT INTO downloads (id, account, host, grp, url, headers, filename, wants_progress, metadata, size,
                        state, reason)
                    SELECT ?2 || i, ?3, ?4, 'group_file', '/files/' || i, '{}', ?2 || i || '.jpg', 1, '{}', 1000, ?2, NULL
                    FROM n
                    """, Int.self, String.self, UUID.self, String.self), count, state, id, host)
        }
    }

    private nonisolated func response(_ request: FaultServer.Request) -> FaultServer.Response {
        if let response = fault.withLock({ $0 })(request) { return response }
        if let response = Self.signIn(request) { return response }
        return .file(Self.bytes, to: request)
    }

    /// A server that speaks as Onyx does, as much as a session needs.
    nonisolated static func signIn(_ request: FaultServer.Request) -> FaultServer.Response? {
        let body: String
        switch request.path {
        case "/api/auth/type": body = #"{"multi_tenant":false,"password_auth_enabled":true}"#
        case "/api/auth/mobile/login", "/api/auth/mobile/refresh":
            body = #"{"access_token":"secret","token_type":"Bearer","refresh_token":"other","expires_in":36000}"#
        case "/api/me": body = #"{"id":"1","email":"ada@example.org","is_active":true,"role":"basic"}"#
        default: return nil
        }
        return .init(headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    }
}
