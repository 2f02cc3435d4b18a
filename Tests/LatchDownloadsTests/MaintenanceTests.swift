import Crypto
import Foundation
import LatchKit
import SecretStorage
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// A server of Immich goes into maintenance while its pictures come: it has nothing then, in its own words.
@Suite(.timeLimit(.minutes(20)))
struct MaintenanceTests {
    private typealias Picture = PictureServer.Picture

    private let server: PictureServer
    private let home: TemporaryDirectory
    private let latch: LatchClient
    private let account: Account
    private let clock = DownloadFixture.Clock()

    init() async throws {
        server = try PictureServer((1...20).map { Picture($0, "IMG_\($0).jpg", Array("picture \($0)".utf8)) })
        home = try TemporaryDirectory()
        latch = try await LatchClient.open(.init(folders: Folders(data: home.path + "/data"), secrets: MemoryStore()))
        let found = try await latch.probe(ServerAddress(server.url)).requireServer()
        account = try await latch.signIn(
            PasswordSignIn(email: PictureServer.email, password: Secret(PictureServer.password)), to: found)
    }

    private func queue() -> DownloadQueue {
        DownloadQueue(
            latch, library: FolderLibrary(folder: home.path + "/Pictures"), settings: .init(),
            now: { [clock] in clock.now }, hook: DownloadHook())
    }

    private func tasks(_ count: Int) async throws -> [DownloadTask] {
        var found: [DownloadTask] = []
        let chooser = DownloadChooser(account, try latch.session(for: account))
        for try await tasks in chooser.pages(of: DownloadSelection(ids: (1...count).map(Picture.id))) { found += tasks }
        return found
    }

    private static let nothing = FaultServer.Response.json(
        #"{"message":"Not Found","error":"Not Found","statusCode":404}"#, 404)
    private static let maintenance = FaultServer.Response.json(#"{"maintenanceMode":true}"#)

    /// Has nothing but the configuration, which is as given.
    private func empty(_ configuration: FaultServer.Response) {
        server.intercept { request in
            switch request.path {
            case "/api/server/config": configuration
            case "/api/server/ping", "/api/server/version": nil
            default: Self.nothing
            }
        }
    }

    private func asked(_ path: String) -> Int { server.server.requests.count { $0.path.hasSuffix(path) } }

    @Test(
        "DL-13 in maintenance no picture counts as deleted; the server is paused, and all are downloaded later",
        arguments: [(20, true), (1, true), (20, false)])
    func waits(_ count: Int, _ saysSo: Bool) async throws {
        let queue = queue()
        try await queue.add(try await tasks(count))
        empty(saysSo ? Self.maintenance : .init(status: 503))
        let (events, before) = (queue.events, asked("/server/config"))
        let run = Task { try await queue.run() }
        // A single picture must fail twice, with a pause between.
        let again = queue.events { if case .status(_, .waiting) = $0 { count == 1 } else { false } }
        let pauses = Task { for await _ in again { clock.advance(by: 60) } }
        await queue.untilHeld(events) { #expect($0.contains("in maintenance"), "\($0)") }
        #expect(asked("/server/config") > before)
        server.intercept { _ in nil }
        clock.advance(by: 60)
        try await run.cancellableValue
        pauses.cancel()
        let rows = try await queue.tasks()
        #expect(
            rows.count == count && rows.allSatisfy { $0.state == .done && $0.attempts <= 1 }, "\(rows.map(\.state))")
    }

    @Test(
        "DL-13 a 404 of a server that is not in maintenance means deleted, also if it is too old for maintenance",
        arguments: [#"{"isInitialized":true}"#, #"{"isInitialized":true,"maintenanceMode":false}"#, nil])
    func deletedPictures(_ configuration: String?) async throws {
        let queue = queue()
        try await queue.add(try await tasks(20))
        server.change { $0.removeAll { $0.id != Picture.id(1) } }
        server.intercept { request in
            request.path == "/api/server/config"
                ? configuration.map { FaultServer.Response.json($0) } ?? Self.nothing : nil
        }
        try await queue.run()
        let progress = try await queue.progress()
        #expect(progress.done == 1 && progress.skipped == 19)
        #expect(asked("/server/config") < 19)
    }

    @Test("the configuration is requested once for many files that fail together")
    func once() async throws {
        empty(Self.maintenance)
        let session = try latch.session(for: account)
        let before = asked("/server/config")
        let check = MaintenanceCheck(validity: .seconds(3_600))
        let account = account
        let findings = await withTaskGroup(of: MaintenanceCheck.MaintenanceState.self) { group in
            for _ in 0..<50 { group.addTask { await check.maintenanceState(at: session, of: account) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(findings.count == 50 && findings.allSatisfy { $0 == .maintenance })
        #expect(asked("/server/config") == before + 1)
        let impatient = MaintenanceCheck(validity: .zero)
        for _ in 0..<2 { #expect(await impatient.maintenanceState(at: session, of: account) == .maintenance) }
        #expect(asked("/server/config") == before + 3)
    }

    @Test(
        "DL-1 maintenance during the listing of an album is reported, and no picture is omitted silently"
    )
    func album() async throws {
        var picture = Picture(9, "From Bob.jpg", Array("Bob's".utf8))
        picture.isForeign = true
        let id = picture.id
        let server = try PictureServer([picture], albums: ["Shared": [id]])
        let found = try await latch.probe(ServerAddress(server.url)).requireServer()
        let account = try await latch.signIn(
            PasswordSignIn(email: PictureServer.email, password: Secret(PictureServer.password)), to: found)
        let chooser = DownloadChooser(account, try latch.session(for: account))
        for isInMaintenance in [true, false] {
            server.intercept { request in
                if request.path == "/api/assets/\(id)" { return Self.nothing }
                return isInMaintenance && request.path == "/api/server/config" ? Self.maintenance : nil
            }
            let error: LatchError?
            do {
                for try await tasks in chooser.pages(of: DownloadSelection(albums: ["Shared"])) {
                    #expect(tasks.isEmpty)
                }
                error = nil
            } catch let caught as LatchError {
                error = caught
            }
            #expect((error?.message.contains("maintenance") ?? false) == isInMaintenance, "\(error?.message ?? "none")")
        }
    }
}
