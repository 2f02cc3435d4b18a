import Foundation
import Synchronization
import TestSupport
import Testing

/// A home of its own with somebody signed in to a server of files.
///
/// `/files/NAME` is the file of that name where its query is the wanted one, or none is wanted.
final class FileServerFixture: Sendable {
    let home: HomeFixture
    let server: FaultServer
    private let wanted: Mutex<[String: String]>
    private let fault = Mutex<@Sendable (FaultServer.Request) -> FaultServer.Response?>({ _ in nil })

    /// Signs in.
    ///
    /// - Parameters:
    ///   - host: The name in the server's address.
    ///   - queries: What is wanted behind the `?` of some files.
    ///   - other: A home where somebody is signed in elsewhere already.
    /// - Throws: What a server or program that does not start throws.
    init(host: String = "127.0.0.1", queries: [String: String] = [:], in other: HomeFixture? = nil) async throws {
        var home = try other ?? HomeFixture()
        // A bus and services of the machine's are not this test's.
        home.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + home.folder.file("nowhere")
        home.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=" + home.folder.file("nowhere")
        self.home = home
        wanted = Mutex(queries)
        let response = Mutex<@Sendable (FaultServer.Request) -> FaultServer.Response>({ _ in .init(status: 503) })
        server = try FaultServer { request in response.withLock { $0 }(request) }
        server.script { [weak self] request in self?.response(request) ?? .init(status: 503) }
        let login = try await home.latch(
            "login", "http://\(host):\(server.port)", "-e", "ada@example.org", "--password-stdin",
            input: "correct horse")
        try #require(login.status == 0, "\(login.errors)")
    }

    /// Answers before the rules do, where it gives an answer.
    func intercept(_ response: @escaping @Sendable (FaultServer.Request) -> FaultServer.Response?) {
        fault.withLock { $0 = response }
    }

    /// Runs `latch download` into the folder of the files.
    func download(_ words: String...) async throws -> Program.Result {
        try await home.latch(["download", "--to", home.folder.file("Files")] + words)
    }

    /// What a file has after its download.
    func file(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: home.folder.file("Files/\(name)")).map(Array.init)
    }

    /// The bytes of a file.
    static func bytes(_ name: String) -> [UInt8] { Array(String(repeating: "This is \(name). ", count: 200).utf8) }

    private func response(_ request: FaultServer.Request) -> FaultServer.Response {
        if let response = fault.withLock({ $0 })(request) { return response }
        let body: String
        switch request.path {
        case "/api/auth/type": body = #"{"multi_tenant":false,"password_auth_enabled":true}"#
        case "/api/auth/mobile/login", "/api/auth/mobile/refresh":
            body = #"{"access_token":"token-of-ada","token_type":"bearer"}"#
        case "/api/me": body = #"{"id":"1","email":"ada@example.org","is_active":true,"role":"basic"}"#
        default: return file(request)
        }
        return .init(headers: [("Content-Type", "application/json")], body: Array(body.utf8))
    }

    private func file(_ request: FaultServer.Request) -> FaultServer.Response {
        let parts = request.path.split(separator: "?", maxSplits: 1)
        guard parts[0].hasPrefix("/files/") else { return .init(status: 404) }
        let name = String(parts[0].dropFirst("/files/".count))
        if let query = wanted.withLock({ $0[name] }), parts.count < 2 || parts[1] != query {
            return .init(
                status: 403, headers: [("Content-Type", "application/json")],
                body: Array(#"{"detail":"Not yours"}"#.utf8))
        }
        return .file(Self.bytes(name), to: request)
    }
}
