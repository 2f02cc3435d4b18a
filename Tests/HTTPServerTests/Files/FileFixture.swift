import Foundation
import HTTPMessages
import HTTPServer
import TestSupport

/// A server with a folder of files: `/files/NAME` answers with conditions and ranges, `/raw/NAME` with the file alone.
struct FileFixture {
    let folder: TemporaryDirectory
    let server: TestServer

    init(
        _ change: (inout HTTPServer.Configuration) -> Void = { _ in }, routes: (inout Router) -> Void = { _ in }
    ) async throws {
        let folder = try TemporaryDirectory()
        self.folder = folder
        var router = Router.sample
        router.on(.get, "/files/{name}", parameters: String.self) { request, name in
            Self.response(folder) {
                try ServedFile.open(name, beneath: folder.path)
                    .response(to: request, mediaType: "image/jpeg", headers: ["Content-Disposition": "inline"])
            }
        }
        router.on(.get, "/raw/{name}", parameters: String.self) { _, name in
            Self.response(folder) {
                let file = try ServedFile.open(name, beneath: folder.path)
                return ServerResponse(body: .file(FileRegion(file.file, count: file.size)))
            }
        }
        routes(&router)
        server = try await TestServer(TestServer.configuration(change), router: router)
    }

    private static func response(_ folder: TemporaryDirectory, _ make: () throws -> ServerResponse) -> ServerResponse {
        (try? make()) ?? .text("nothing", status: .notFound)
    }

    /// Writes a file whose every byte says where it stands.
    @discardableResult
    func write(_ count: Int, to name: String) throws -> [UInt8] {
        let bytes = patternBytes(count)
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
        return bytes
    }

    /// Makes a file of `count` bytes that takes no room on the disk.
    func makeSparse(_ count: Int, _ name: String) throws {
        let path = folder.file(name)
        guard FileManager.default.createFile(atPath: path, contents: nil) else { throw POSIXError(.EIO) }
        guard truncate(path, count) == 0 else { throw POSIXError(.EIO) }
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)\(path)" }

    /// One answer, on a connection of its own.
    func get(_ path: String, method: String = "GET", _ fields: [String] = []) throws -> Response {
        let socket = try server.connect()
        let lines = ["\(method) \(path) HTTP/1.1", "Host: a", "Connection: close"] + fields
        try socket.write(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try Self.parsed(try Self.all(from: socket))
    }

    /// Everything until the connection ended, orderly or not.
    static func all(from socket: RawSocket) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try? socket.readSome(), !chunk.isEmpty { bytes += chunk }
        return bytes
    }

    /// A head, and what came behind it.
    static func parsed(_ bytes: [UInt8]) throws -> Response {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
            throw NoHead(bytes: bytes.count)
        }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        return Response(status: status, fields: Array(lines.dropFirst()), body: Array(bytes[end.upperBound...]))
    }

    struct NoHead: Error { let bytes: Int }

    /// What came: of a body that was cut off, as much as there was.
    struct Response {
        let status: Int
        let fields: [String]
        let body: [UInt8]

        subscript(_ name: String) -> String? {
            let start = name.lowercased() + ":"
            guard let line = fields.first(where: { $0.lowercased().hasPrefix(start) }) else { return nil }
            return String(line.dropFirst(start.count).drop { $0 == " " })
        }
    }

    func stop() async { await server.stop() }
}
