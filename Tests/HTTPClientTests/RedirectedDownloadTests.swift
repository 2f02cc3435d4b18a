import Foundation
import HTTPClient
import HTTPMessages
import Synchronization
import TestSupport
import Testing

/// Downloads that are sent on to another place.
@Suite("Redirected downloads", .timeLimit(.minutes(20))) struct RedirectedDownloadTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.file("file.part") }
    private static let bytes = patternBytes(100_000)
    private static let secrets: HTTPHeaders = ["Authorization": "Bearer t", "Cookie": "c=1", "X-Api-Key": "k"]
    private static let old = "Thu, 01 Jan 2026 00:00:00 GMT"

    init() throws { folder = try TemporaryDirectory() }

    /// A server that sends everything on to `target`.
    private func gate(_ target: @escaping @Sendable () -> String, status: Int = 302) throws -> FaultServer {
        try FaultServer { _ in .init(status: status, headers: [("Location", target())]) }
    }

    private func download(
        _ url: String, from point: ResumePoint? = nil, maximum: Int = 3,
        allowing: (@Sendable (ClientResponse) -> Bool)? = nil
    ) async throws -> (response: ClientResponse, bytes: [UInt8], begun: ResumePoint?) {
        let part = try DownloadPart(path: path)
        defer { part.close() }
        let startPoint = Mutex<ResumePoint?>(nil)
        var request = ClientRequest(url: url, headers: Self.secrets, redirects: .follow(maximum: maximum))
        request.mayFollow = allowing
        let sent = request
        let response = try await withClient(.init(extraHeaders: ["X-Extra": "e"])) {
            try await $0.download(sent, into: part, from: point) { point in startPoint.withLock { $0 = point } }
        }
        return (response, Array(try Data(contentsOf: URL(fileURLWithPath: path))), startPoint.withLock { $0 })
    }

    @Test("DL-3 a file is fetched from the target of each kind of redirect", arguments: [301, 302, 303, 307, 308])
    func followed(_ status: Int) async throws {
        let server = try FaultServer { request in
            request.path == "/latest"
                ? .init(status: status, headers: [("Location", "/v1/file?sig=1")]) : .file(Self.bytes, to: request)
        }
        let (response, bytes, point) = try await download(server.url("/latest"))
        #expect(
            response.status == .ok && bytes == Self.bytes && response.redirection == Redirection(isOtherOrigin: false))
        #expect(server.requests.last?.headers["authorization"] == "Bearer t")
        #expect(server.requests.last?.headers["x-extra"] == "e")
        #expect(point?.place?.count == 16)
    }

    @Test("DL-3 DL-13 the rest of a file is requested at another origin with If-Range and without secrets")
    func resumesAtOtherOrigin() async throws {
        let store = try FaultServer { .file(Self.bytes, to: $0) }
        let first = try gate { store.url("/bucket/file?X-Amz-Signature=\(UUID())") }
        let point = try #require(try await download(first.url("/file")).begun)
        var half = point
        half.count = 40_000
        let (response, bytes, _) = try await download(first.url("/file"), from: half)
        #expect(response.status.rawValue == 206 && bytes == Self.bytes && response.redirection?.isOtherOrigin == true)
        let asked = try #require(store.requests.last)
        #expect(asked.headers["range"] == "bytes=40000-" && asked.headers["if-range"] == "\"1\"")
        for name in ["authorization", "cookie", "x-api-key", "x-extra"] { #expect(asked.headers[name] == nil) }
    }

    @Test(
        "DL-13 from another URL than before the rest is accepted only with a strong entity tag",
        arguments: [("\"1\"", 206), ("W/\"1\"", 200), (nil, 200)] as [(String?, Int)])
    func changedURL(_ entityTag: String?, _ status: Int) async throws {
        let response: @Sendable (FaultServer.Request) -> FaultServer.Response = {
            .file(Self.bytes, to: $0, entityTag: entityTag, modified: Self.old)
        }
        let stores = [try FaultServer(response), try FaultServer(response)]
        let turn = Mutex(0)
        let first = try gate { stores[turn.withLock { $0 }].url("/file") }
        var point = try #require(try await download(first.url("/file")).begun)
        point.count = 40_000
        #expect(try await download(first.url("/file"), from: point).response.status.rawValue == 206)
        turn.withLock { $0 = 1 }
        let (moved, bytes, _) = try await download(first.url("/file"), from: point)
        #expect(moved.status.rawValue == status && bytes == Self.bytes)
    }

    @Test(
        "DL-13 a web page at the end of a redirect is not saved, and the received bytes are kept",
        arguments: [[("Content-Type", "text/html; charset=utf-8")], []])
    func webPage(_ headers: [(String, String)]) async throws {
        let server = try FaultServer { request in
            guard request.path.hasPrefix("/login") else { return .file(Self.bytes, to: request) }
            return .init(headers: headers, body: Array("<html>Sign in</html>".utf8))
        }
        var point = try #require(try await download(server.url("/file.pdf")).begun)
        point.count = 40_000
        let gate = try gate { server.url("/login?back=/file.pdf") }
        let (response, bytes, startPoint) = try await download(gate.url("/file.pdf"), from: point)
        #expect(response.redirection == Redirection(isOtherOrigin: true, isRejectedPage: true))
        #expect(
            bytes == Self.bytes && startPoint == nil
                && String(decoding: response.body, as: UTF8.self).contains("Sign in"))
    }

    @Test("DL-13 a redirect with a user name is reported as the server's error, without the password")
    func userInfo() async throws {
        let server = try gate { "http://ada:hunter2-hunter2@127.0.0.1:9/a" }
        let error = try await #require(throws: TransportError.self) { try await download(server.url("/a")) }
        #expect(error.code == .redirectRefused && !"\(error)".leaks("hunter2-hunter2"), "\(error)")
    }

    @Test("DL-13 a web page with the name of the requested file is saved")
    func requestedWebPage() async throws {
        let server = try FaultServer { request in
            request.path == "/latest/a.html"
                ? .init(status: 302, headers: [("Location", "/v1/a.html?x=y")])
                : .init(headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
        }
        let (response, bytes, _) = try await download(server.url("/latest/a.html"))
        #expect(response.redirection?.isRejectedPage == false && bytes == Array("<html>".utf8))
    }

    @Test("DL-3 redirects are not followed if the caller forbids it, or in a loop")
    func notFollowed() async throws {
        let server = try FaultServer { _ in .init(status: 302, headers: [("Location", "/again")]) }
        let (response, bytes, _) = try await download(server.url("/a")) { $0.headers["Location"] != "/again" }
        #expect(response.status == .found && response.redirection == nil && bytes.isEmpty && server.requests.count == 1)
        let error = await #expect(throws: TransportError.self) { try await download(server.url("/a")) }
        #expect(error?.code == .tooManyRedirects && server.requests.count == 5)
    }

    @Test("DL-13 an unreachable or disconnecting other origin is named in the error")
    func unreachable() async throws {
        let store = try FaultServer { request in
            var response = FaultServer.Response.file(Self.bytes, to: request)
            response.cutAfter = 40_000
            return response
        }
        let first = try gate { store.url("/file?secret=hunter2-hunter2") }
        let cut = await #expect(throws: TransportError.self) { try await download(first.url("/file")) }
        store.beginOutage()
        let closedPort = await #expect(throws: TransportError.self) { try await download(first.url("/file")) }
        for error in [cut, closedPort] {
            #expect(error?.isOtherOrigin == true && error?.message.contains(store.url("")) ?? false)
            #expect(error?.message.leaks("hunter2-hunter2") == false)
        }
    }
}
