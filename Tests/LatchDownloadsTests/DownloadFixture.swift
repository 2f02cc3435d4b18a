import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import LatchKit
import SecretStorage
import Synchronization
import TestSupport

@testable import LatchDownloads

/// A person signed in to a server of files over real sockets, and a folder for what is downloaded.
final class DownloadFixture: Sendable {
    let server: FaultServer
    let latch: LatchClient
    let account: Account
    let folder: TemporaryDirectory
    private let secrets = MemoryStore()
    private let fault = Mutex<@Sendable (FaultServer.Request) -> FaultServer.Response?>({ _ in nil })

    init() async throws {
        folder = try TemporaryDirectory()
        let response = Mutex<@Sendable (FaultServer.Request) -> FaultServer.Response>({ _ in .init(status: 503) })
        server = try FaultServer { request in response.withLock { $0 }(request) }
        latch = try await LatchClient.open(.init(folders: Folders(data: folder.path + "/data"), secrets: secrets))
        response.withLock { response in response = { Self.signIn($0) ?? .init(status: 404) } }
        let found = try await latch.probe(ServerAddress("http://127.0.0.1:\(server.port)")).requireServer()
        account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: found)
        server.script { [weak self] request in self?.response(request) ?? .init(status: 503) }
    }

    /// Answers before the rules do, where it gives an answer.
    func intercept(_ response: @escaping @Sendable (FaultServer.Request) -> FaultServer.Response?) {
        fault.withLock { $0 = response }
    }

    /// Has the bytes of a file stop after so many, and wait.
    func stall(_ name: String, after count: Int) {
        intercept { [self] request in
            guard request.path == "/files/\(name)" else { return nil }
            var response = FaultServer.Response.file(bytes(of: name), to: request)
            response.stallAfter = count
            return response
        }
    }

    /// Has each answer of a file break off after so many bytes.
    func cut(_ name: String, _ bytes: [UInt8], after count: Int) {
        intercept { request in
            guard request.path == "/files/\(name)" else { return nil }
            var response = FaultServer.Response.file(bytes, to: request)
            response.cutAfter = count
            return response
        }
    }

    var library: String { folder.path + "/Pictures" }

    func queue(
        _ settings: DownloadSettings = .init(), library: (any DownloadLibrary)? = nil,
        stoppedAfter step: DownloadHook.Step? = nil, now: @escaping @Sendable () -> Date = { Date() },
        random: (@Sendable () -> Double)? = nil
    ) -> DownloadQueue {
        let hasStopped = Mutex(false)
        var hook = DownloadHook { reached in
            if reached == step {
                hasStopped.withLock { $0 = true }
                throw CancellationError()
            }
            // After this step the queue takes the file again at once, which a crashed program does not.
            if step == .fetched, reached == .started, hasStopped.withLock({ $0 }) {
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        if let random { hook.random = random }
        return DownloadQueue(
            latch, library: library ?? FolderLibrary(folder: self.library), settings: settings, now: now, hook: hook)
    }

    /// The same queue as another program has it.
    func otherProgram() async throws -> DownloadQueue {
        let other = try await LatchClient.open(.init(folders: Folders(data: folder.path + "/data"), secrets: secrets))
        return DownloadQueue(other, library: FolderLibrary(folder: library))
    }

    /// A clock by which every pause is over when it is next looked at.
    static func acceleratedClock() -> @Sendable () -> Date {
        let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        return {
            time.withLock { time in
                time += 7200
                return time
            }
        }
    }

    /// A clock that stands still until it is put forward.
    final class Clock: Sendable {
        private let time = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

        var now: Date { time.withLock { $0 } }

        func advance(by seconds: Double) { time.withLock { $0 += seconds } }
    }

    /// What a server says of a file that it does not have.
    static let notFound = FaultServer.Response(
        status: 404, headers: [("Content-Type", "application/json")], body: Array(#"{"detail":"No such file"}"#.utf8))

    /// Both parts of a live photo.
    func pair(_ id: String) -> [DownloadTask] {
        [
            task(id, group: .livePhoto, name: "\(id).jpg", metadata: .init(part: .image, liveID: id)),
            task("\(id)-film", group: .livePhoto, name: "\(id).MOV", metadata: .init(part: .video, liveID: id)),
        ]
    }

    /// The parts that are left.
    func parts() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: library + "/.latchstring")) ?? []
    }

    func state(_ id: String, _ queue: DownloadQueue) async throws -> DownloadState? {
        try await queue.tasks().first { $0.task.id == id }?.state
    }

    func task(
        _ id: String, group: DownloadGroup = .image, name: String? = nil, metadata: DownloadMetadata = .init()
    ) -> DownloadTask {
        DownloadTask(
            id: id, account: account.id, url: "/files/\(id)", filename: name ?? "\(id).jpg", group: group,
            metadata: metadata)
    }

    /// The bytes that the server has under an id.
    func bytes(of id: String) -> [UInt8] {
        let seed = id.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
        return patternBytes(20_000 + Int(seed % 50_000), seed: seed)
    }

    func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: library + "/" + name)))
    }

    /// The files of the library, parts too.
    func files() throws -> [String] {
        let all = FileManager.default.enumerator(atPath: library)?.allObjects as? [String] ?? []
        return all.filter { !$0.hasPrefix(".latchstring") }.sorted()
    }

    /// Listens from now on; the closure gives what was told until then, and ends what listeners hear.
    func collect(_ queue: DownloadQueue) -> @Sendable () async -> [DownloadEvent] {
        let events = queue.events
        let seen = Task { await events.reduce(into: []) { $0.append($1) } }
        return {
            queue.endEvents()
            return await seen.cancellableValue
        }
    }

    private func response(_ request: FaultServer.Request) -> FaultServer.Response {
        if let response = fault.withLock({ $0 })(request) { return response }
        if let response = Self.signIn(request) { return response }
        guard request.path.hasPrefix("/files/") else { return .init(status: 404) }
        return .file(bytes(of: String(request.path.dropFirst("/files/".count))), to: request)
    }

    /// A pair of tokens as a server gives it.
    static func tokens(_ turn: Int) -> String {
        #"{"access_token":"access-secret-\#(turn)","token_type":"Bearer","refresh_token":"refresh-secret-\#(turn)","#
            + #""expires_in":36000}"#
    }

    /// A server that speaks as Onyx does, as much as a session needs.
    private static func signIn(_ request: FaultServer.Request) -> FaultServer.Response? {
        let body: String
        switch request.path {
        case "/api/auth/type": body = #"{"multi_tenant":false,"password_auth_enabled":true}"#
        case "/api/auth/mobile/login", "/api/auth/mobile/refresh":
            body = Self.tokens(1)
        case "/api/me": body = #"{"id":"1","email":"ada@example.org","is_active":true,"role":"basic"}"#
        default: return nil
        }
        return .init(headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    }
}

extension DownloadQueue {
    /// Returns when the queue has told that it is held up and nothing runs any more. A transfer that was started before could
    /// otherwise get its answer, and choose a pause, at a time that the test does not control.
    func untilHeld(_ events: AsyncStream<DownloadEvent>, _ look: (String) -> Void = { _ in }) async {
        var isTold = false
        for await event in events {
            if case .pauseReasonChanged(let reason?) = event {
                look(reason.sentence)
                isTold = true
            }
            if isTold, running.isEmpty { return }
        }
    }
}
