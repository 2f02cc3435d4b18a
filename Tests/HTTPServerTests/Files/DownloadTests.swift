import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Downloads as real clients do them", .timeLimit(.minutes(20)))
struct DownloadTests {
    private static func curl(_ arguments: [String]) async throws -> Program.Result {
        try await Program.run("curl", ["--silent", "--show-error", "--fail"] + arguments)
    }

    @Test("curl gets a range, goes on with a part, and keeps what it has when the file is another one")
    func curl() async throws {
        let bench = try await FileBench()
        let bytes = try bench.write(2_000_000, to: "a")
        let out = try TemporaryDirectory()
        func got(_ name: String) -> [UInt8] {
            FileManager.default.contents(atPath: out.file(name)).map(Array.init) ?? []
        }
        var result = try await Self.curl(["--range", "100-199", "-o", out.file("r"), bench.url("/files/a")])
        #expect(result.status == 0 && got("r") == Array(bytes[100..<200]), "\(result.errors)")
        result = try await Self.curl(["--range", "-5", "-o", out.file("t"), bench.url("/files/a")])
        #expect(result.status == 0 && got("t") == Array(bytes.suffix(5)), "\(result.errors)")
        try Data(bytes[..<700_000]).write(to: URL(fileURLWithPath: out.file("c")))
        result = try await Self.curl(["--continue-at", "-", "-o", out.file("c"), bench.url("/files/a")])
        #expect(result.status == 0 && got("c") == bytes, "\(result.errors)")
        result = try await Self.curl(
            ["--etag-save", out.file("e"), "-o", out.file("f"), bench.url("/files/a")])
        #expect(result.status == 0 && got("f") == bytes, "\(result.errors)")
        result = try await Self.curl(
            ["--etag-compare", out.file("e"), "-w", "%{http_code}", "-o", out.file("g"), bench.url("/files/a")])
        #expect(result.output == "304", "\(result.errors)")
        await bench.stop()
    }

    @Test("curl at a limited rate gets all of it")
    func limitedRate() async throws {
        let bench = try await FileBench { $0.idleTimeout = .seconds(2) }
        let size = 12_000_000
        try bench.makeSparse(size, "a")
        let result = try await Self.curl(
            ["--limit-rate", "4M", "-o", "/dev/null", "-w", "%{size_download}", bench.url("/raw/a")])
        #expect(result.status == 0 && result.output == "\(size)", "\(result.errors)")
        await bench.stop()
    }

    @Test("a file and a streamed body come whole over TLS, and one that fails is seen to be cut off")
    func overTLS() async throws {
        let tls = try await TLSBench()
        await tls.stop()
        let credentials = tls.credentials
        let content = FileBench.pattern(1_500_000)
        let bench = try await FileBench {
            $0.listeners = [.tls(host: "127.0.0.1", port: 0)]
            $0.credentials = credentials
        } routes: { router in
            router.on(.get, "/stream") { _ in
                ServerResponse(
                    body: .stream(length: nil) { writer in
                        for start in stride(from: 0, to: content.count, by: 100_000) {
                            try await writer.write(Array(content[start..<(start + 100_000)]))
                        }
                    })
            }
            router.on(.get, "/broken") { _ in
                ServerResponse(body: .stream(length: 100) { try await $0.write("x") })
            }
        }
        let bytes = try bench.write(3_000_017, to: "a")
        let client = try HTTPClient(
            HTTPClient.Configuration(authorities: .only(pemFile: tls.authority.own.certificate)))
        func get(_ path: String) async throws -> [UInt8] {
            let url = "https://127.0.0.1:\(bench.server.port)\(path)"
            return try await client.send(ClientRequest(method: .get, url: url)).body
        }
        #expect(try await get("/raw/a") == bytes)
        #expect(try await get("/stream") == content)
        await #expect(throws: (any Error).self) { _ = try await get("/broken") }
        await bench.stop()
    }

    @Test(
        "a hundred clients that read a file of 1 GiB slowly, and a hundred that read a streamed one, cost no memory to speak of"
    )
    func manySlowReaders() async {
        // In a process of its own, where nothing else takes memory.
        await #expect(processExitsWith: .success) {
            let piece = [UInt8](repeating: 7, count: 65_536)
            let bench = try await FileBench { _ in
            } routes: { router in
                router.on(.get, "/stream") { _ in
                    ServerResponse(
                        body: .stream(length: 1 << 30) { writer in
                            for _ in 0..<((1 << 30) / piece.count) { try await writer.write(piece) }
                        })
                }
            }
            try bench.makeSparse(1 << 30, "a")
            #expect(try bench.get("/hello").status == 200)
            let before = try ProcessMemory.residentKiB()
            for path in ["/raw/a", "/stream"] {
                let readers = try (0..<100).map { _ in try bench.server.connect() }
                for reader in readers { try reader.write("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") }
                for _ in 0..<10 {
                    for reader in readers { #expect(try !reader.readSome().isEmpty) }
                }
                // The bodies themselves would be 200 GiB.
                #expect(try ProcessMemory.residentKiB() - before < 200_000)
                #expect(try bench.get("/hello").status == 200)
            }
            await bench.stop()
        }
    }
}
