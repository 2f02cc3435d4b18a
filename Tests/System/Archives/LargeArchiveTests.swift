import Foundation
import HTTPMessages
import HTTPServer
import PictureLibrary
import TestSupport
import Testing

/// Archives beyond what ZIP was once made for, read by the programs that people have.
@Suite("Large archives", .blocking, .inTurn, .serialized, .timeLimit(.minutes(20)))
struct LargeArchiveTests {
    /// Serves an archive, gets it with curl into a file that has holes where there are zeros, and stops.
    private static func get(
        _ folder: TemporaryDirectory, _ entries: @escaping @Sendable () -> [ZIPArchive.Entry]
    ) async throws -> String {
        var router = Router()
        router.on(.get, "/archive") { _ in ServerResponse(body: ZIPArchive(entries()).stream()) }
        let server = try await HTTPServer.start(
            HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: router)
        let path = folder.file("got.zip")
        let url = "http://127.0.0.1:\(server.addresses.first?.port ?? 0)/archive"
        let command = "curl -sS --fail \(url) | dd of='\(path)' conv=sparse bs=1M iflag=fullblock status=none"
        let result = try await Program.run("bash", ["-o", "pipefail", "-c", command])
        await server.stop(drain: .zero)
        try #require(result.status == 0, "\(result.errors)")
        return path
    }

    private static func python(_ script: String, _ archive: String) async throws -> String {
        let result = try await Program.run("python3", ["-c", "import sys, zipfile\n" + script, archive])
        #expect(result.status == 0, "\(result.errors)")
        return result.output
    }

    @Test("more than 65,535 files are all found and intact")
    func manyFiles() async throws {
        let folder = try TemporaryDirectory()
        try folder.write("1", to: "one")
        let archive = try await Self.get(folder) {
            (0..<65_540).map { number in
                ZIPArchive.Entry(
                    name: "\(number).txt", path: "one", beneath: folder.path, size: 1, modified: .seconds(1_700_000_000)
                )
            }
        }
        let result = try await Self.python(
            "a = zipfile.ZipFile(sys.argv[1]); print(len(set(a.namelist())), a.testzip())", archive)
        #expect(result == "65540 None\n")
        let info = try await Program.run("zipinfo", ["-h", archive])
        #expect(info.status == 0 && info.output.contains("number of entries: 65540"), "\(info.output)\(info.errors)")
    }

    @Test("a file of more than 4 GiB, and one after it, are found and intact")
    func largeFile() async throws {
        let folder = try TemporaryDirectory()
        let size = (4 << 30) + 12_345
        try folder.write("begin", to: "large")
        #expect(truncate(folder.file("large"), size) == 0)
        try folder.write("behind", to: "behind")
        let archive = try await Self.get(folder) {
            ["large", "behind"].compactMap { try? ZIPArchive.Entry(name: $0, path: $0, beneath: folder.path) }
        }
        let result = try await Self.python(
            "a = zipfile.ZipFile(sys.argv[1])\nprint([i.file_size for i in a.infolist()], a.read('behind').decode())",
            archive)
        #expect(result == "[\(size), 6] behind\n")
        let unzip = try await Program.run("unzip", ["-tq", archive])
        #expect(unzip.status == 0 && unzip.output.contains("No errors detected"), "\(unzip.output)\(unzip.errors)")
        let info = try await Program.run("zipinfo", ["-v", archive, "large"])
        #expect(info.output.contains("\(size)"), "\(info.output)\(info.errors)")
    }
}
