import Foundation
import HTTPClient
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@Suite("Downloads", .serialized, .timeLimit(.minutes(20)))
struct DownloadTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.file("picture") }

    init() throws { folder = try TemporaryDirectory() }

    private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

    @Test("The complete file is saved under its name")
    func completeFile() async throws {
        let server = try await Fixture.server()
        let seen = Mutex<[DownloadProgress]>([])

        let response = try await withClient {
            try await $0.download(ClientRequest(url: server.url("/bytes?bytes=300000")), to: path) { progress in
                seen.withLock { $0.append(progress) }
            }
        }

        #expect(response.status == .ok && response.body.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(repeating: UInt8(ascii: "x"), count: 300_000))
        #expect(files == ["picture"])
        #expect(seen.withLock { $0.last } == DownloadProgress(received: 300_000, total: 300_000))
    }

    @Test("An empty response creates an empty file")
    func empty() async throws {
        let server = try await Fixture.server()

        _ = try await withClient { try await $0.download(ClientRequest(url: server.url("/bytes?bytes=0")), to: path) }

        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).isEmpty)
    }

    @Test("Memory use is constant during a download of a large file")
    func constantMemory() async {
        // In a process of its own, where nothing else takes memory.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryDirectory()
            let server = try await Fixture.server()
            let before = try ProcessMemory.residentKiB()
            let most = Mutex(0)

            let error = await #expect(throws: TransportError.self) {
                try await withClient { client in
                    let request = ClientRequest(url: server.url("/endless"), maximumBodyBytes: 128 << 20)
                    _ = try await client.download(request, to: folder.file("picture")) { _ in
                        let now = (try? ProcessMemory.residentKiB()) ?? .max
                        most.withLock { $0 = max($0, now) }
                    }
                }
            }

            #expect(error?.code == .tooLarge)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            #expect(most.withLock { $0 } - before < 48 << 10)
        }
    }

    @Test("A failure leaves the previous file and no part", arguments: ["/early", "/early-chunk"])
    func failing(_ failing: String) async throws {
        let server = try await Fixture.server()
        try folder.write("former", to: "picture")

        let error = await #expect(throws: TransportError.self) {
            try await withClient { _ = try await $0.download(ClientRequest(url: server.url(failing)), to: path) }
        }

        #expect(error?.code == .closedEarly && files == ["picture"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "former")
    }

    @Test("Cancelling removes the part")
    func cancelled() async throws {
        let server = try await Fixture.server()
        let (pieces, piece) = AsyncStream.makeStream(of: Int.self)

        try await withClient { client in
            let task = Task {
                try await client.download(ClientRequest(url: server.url("/half"), timeout: nil), to: path) {
                    piece.yield($0.received)
                }
            }
            for await received in pieces where received == 50 { break }
            #expect(files.count == 1 && files[0].hasPrefix("picture.") && files[0].hasSuffix(".part"))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.cancellableValue }
        }

        #expect(files.isEmpty)
    }

    @Test("An unsuccessful response stays in memory and changes no file", arguments: [302, 401, 404, 500])
    func refused(_ code: Int) async throws {
        let server = try await Fixture.server()

        let response = try await withClient {
            try await $0.download(ClientRequest(url: server.url("/status?code=\(code)")), to: path)
        }

        #expect(response.status.rawValue == code && response.body == Array("as asked".utf8) && files.isEmpty)
    }

    @Test("Two concurrent downloads to one path are not mixed")
    func concurrentDownloads() async throws {
        let server = try await Fixture.server()
        let (pieces, piece) = AsyncStream.makeStream(of: Int.self)

        try await withClient { client in
            let first = Task {
                try await client.download(ClientRequest(url: server.url("/half"), timeout: nil), to: path) {
                    piece.yield($0.received)
                }
            }
            for await _ in pieces { break }
            _ = try await client.download(ClientRequest(url: server.url("/bytes?bytes=9")), to: path)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "xxxxxxxxx")
            first.cancel()
            _ = await first.result
        }

        #expect(files == ["picture"])
    }

    @Test("An unrelated file with a possible name of a part stays unchanged")
    func unrelatedPartFile() async throws {
        let server = try await Fixture.server()
        try folder.write("mine", to: "picture.part")

        _ = try await withClient { try await $0.download(ClientRequest(url: server.url("/bytes?bytes=2")), to: path) }
        _ = try? await withClient { try await $0.download(ClientRequest(url: server.url("/early")), to: path) }

        #expect(try String(contentsOfFile: folder.file("picture.part"), encoding: .utf8) == "mine")
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == "xx" && files.sorted() == ["picture", "picture.part"])
    }

    @Test("A missing folder is reported")
    func missingFolder() async throws {
        let server = try await Fixture.server()
        let path = folder.file("missing/picture")

        let error = await #expect(throws: TransportError.self) {
            try await withClient {
                _ = try await $0.download(ClientRequest(url: server.url("/bytes?bytes=2")), to: path)
            }
        }

        #expect(error?.code == .file && error?.message.contains(path) == true)
    }
}
