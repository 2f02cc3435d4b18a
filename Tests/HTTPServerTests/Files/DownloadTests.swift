import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Downloads with real clients", .blocking, .timeLimit(.minutes(20)))
struct DownloadTests {
    private static func curl(_ arguments: [String]) async throws -> Program.Result {
        try await Program.run("curl", ["--silent", "--show-error", "--fail"] + arguments)
    }

    @Test("curl gets a range, resumes a part, and keeps its part if the file has changed")
    func curl() async throws {
        let fixture = try await FileFixture()
        let bytes = try fixture.write(2_000_000, to: "a")
        let out = try TemporaryDirectory()
        func got(_ name: String) -> [UInt8] {
            FileManager.default.contents(atPath: out.file(name)).map(Array.init) ?? []
        }
        var result = try await Self.curl(["--range", "100-199", "-o", out.file("r"), fixture.url("/files/a")])
        #expect(result.status == 0 && got("r") == Array(bytes[100..<200]), "\(result.errors)")
        result = try await Self.curl(["--range", "-5", "-o", out.file("t"), fixture.url("/files/a")])
        #expect(result.status == 0 && got("t") == Array(bytes.suffix(5)), "\(result.errors)")
        try Data(bytes[..<700_000]).write(to: URL(fileURLWithPath: out.file("c")))
        result = try await Self.curl(["--continue-at", "-", "-o", out.file("c"), fixture.url("/files/a")])
        #expect(result.status == 0 && got("c") == bytes, "\(result.errors)")
        result = try await Self.curl(
            ["--etag-save", out.file("e"), "-o", out.file("f"), fixture.url("/files/a")])
        #expect(result.status == 0 && got("f") == bytes, "\(result.errors)")
        result = try await Self.curl(
            ["--etag-compare", out.file("e"), "-w", "%{http_code}", "-o", out.file("g"), fixture.url("/files/a")])
        #expect(result.output == "304", "\(result.errors)")
        await fixture.stop()
    }

    @Test("curl with a limited rate gets the complete file")
    func limitedRate() async throws {
        let fixture = try await FileFixture { $0.idleTimeout = .seconds(2) }
        let size = 12_000_000
        try fixture.makeSparse(size, "a")
        let result = try await Self.curl(
            ["--limit-rate", "4M", "-o", "/dev/null", "-w", "%{size_download}", fixture.url("/raw/a")])
        #expect(result.status == 0 && result.output == "\(size)", "\(result.errors)")
        await fixture.stop()
    }

    @Test("a file and a streamed body are received completely over TLS, and a truncation is detected")
    func overTLS() async throws {
        let tls = try await TLSFixture()
        await tls.stop()
        let credentials = tls.credentials
        let content = patternBytes(1_500_000)
        let fixture = try await FileFixture {
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
        let bytes = try fixture.write(3_000_017, to: "a")
        let client = try HTTPClient(
            HTTPClient.Configuration(authorities: .only(pemFile: tls.authority.own.certificate)))
        func get(_ path: String) async throws -> [UInt8] {
            let url = "https://127.0.0.1:\(fixture.server.port)\(path)"
            return try await client.send(ClientRequest(method: .get, url: url)).body
        }
        #expect(try await get("/raw/a") == bytes)
        #expect(try await get("/stream") == content)
        await #expect(throws: (any Error).self) { _ = try await get("/broken") }
        await fixture.stop()
    }

    @Test(
        "a hundred slow clients of a 1 GiB file and a hundred of a streamed body use little memory"
    )
    func manySlowReaders() async {
        // In a process of its own, where nothing else takes memory.
        await #expect(processExitsWith: .success) {
            let piece = [UInt8](repeating: 7, count: 65_536)
            let fixture = try await FileFixture { _ in
            } routes: { router in
                router.on(.get, "/stream") { _ in
                    ServerResponse(
                        body: .stream(length: 1 << 30) { writer in
                            for _ in 0..<((1 << 30) / piece.count) { try await writer.write(piece) }
                        })
                }
            }
            try fixture.makeSparse(1 << 30, "a")
            #expect(try fixture.get("/hello").status == 200)
            let before = try ProcessMemory.residentKiB()
            for path in ["/raw/a", "/stream"] {
                let readers = try (0..<100).map { _ in try fixture.server.connect() }
                for reader in readers { try reader.write("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n") }
                for _ in 0..<10 {
                    for reader in readers { #expect(try !reader.readSome().isEmpty) }
                }
                // The bodies themselves would be 200 GiB.
                #expect(try ProcessMemory.residentKiB() - before < 200_000)
                #expect(try fixture.get("/hello").status == 200)
            }
            await fixture.stop()
        }
    }
}
