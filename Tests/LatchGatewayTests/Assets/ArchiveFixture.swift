import HTTPMessages
import HTTPServer
import PictureLibrary
import TestSupport

/// A server of one archive, at `/archive`, and a folder for the files in it.
struct ArchiveFixture {
    let folder: TemporaryDirectory
    let server: HTTPServer

    init(_ entries: @escaping @Sendable (String) -> [ZIPArchive.Entry]) async throws {
        let folder = try TemporaryDirectory()
        self.folder = folder
        var router = Router()
        router.on(.get, "/archive") { _ in
            ServerResponse(
                headers: ["Content-Type": "application/zip"], body: ZIPArchive(entries(folder.path)).stream())
        }
        server = try await HTTPServer.start(
            HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: router)
    }

    /// The archive in a file; nil where curl found it cut off.
    func got() async throws -> String? {
        let path = folder.file("got.zip")
        let url = "http://127.0.0.1:\(server.addresses.first?.port ?? 0)/archive"
        let result = try await Program.run("curl", ["-sS", "--fail", "-o", path, url])
        return result.status == 0 ? path : nil
    }

    func stop() async { await server.stop(drain: .zero) }
}
