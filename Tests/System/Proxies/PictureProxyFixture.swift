import Foundation
import HTTPMessages
import TestSupport

/// A gateway with a picture library, behind nginx with the operators' file that lets nginx send the pictures.
struct PictureProxyFixture {
    static let pictures = "pictures/\(SystemFixture.email)"

    let gateway: RunningGateway
    let folder: TemporaryDirectory
    let token: String
    private let proxy: RunningProgram
    private var socket: String { folder.file("proxy.sock") }

    /// Starts both with these files in the person's folder, each with its own name as its contents.
    static func with(_ names: [String], _ body: (PictureProxyFixture) async throws -> Void) async throws {
        let folder = try TemporaryDirectory()
        for name in names { try put(name, "\(pictures)/\(name)", folder) }
        let configuration = """
            trusted_proxies: [127.0.0.1]
            dialects:
              immich: {enabled: true, library: "\(folder.file("pictures"))", internal_location: /.latchd/pictures}

            """
        try folder.write(configuration, to: "latchd.yaml")
        let base = try SystemFixture(["LATCHD_CONFIG": folder.file("latchd.yaml")])
        let gateway = try await base.startGatewayWithPerson(socket: folder.file("latchd.sock"))
        let proxy = try await nginx(folder)
        let fixture = PictureProxyFixture(
            gateway: gateway, folder: folder, token: try await token(gateway), proxy: proxy)
        try await attempt {
            try await body(fixture)
        } finally: {
            for program in [proxy, gateway.program] {
                program.send(SIGTERM)
                await program.waitForExit()
            }
        }
    }

    private static func nginx(_ folder: TemporaryDirectory) async throws -> RunningProgram {
        let source = Products.packageFolder + "/Integrations/nginx"
        for name in try FileManager.default.contentsOfDirectory(atPath: source) {
            let text = try String(contentsOfFile: "\(source)/\(name)", encoding: .utf8)
                .replacing("/run/latchd/latchd.sock", with: folder.file("latchd.sock"))
                .replacing("/srv/pictures/", with: folder.file("pictures/"))
            try folder.write(text, to: name)
        }
        let server = """
            server {
                listen unix:\(folder.file("proxy.sock"));
                server_name photos.example.org;
                include latchd-pictures.conf;
            }
            """
        try folder.write(ProxyKind.nginxAround(folder, "include latchd-upstream.conf;\n" + server), to: "nginx.conf")
        let program = try RunningProgram(
            "/usr/bin/env", ["nginx", "-p", folder.path, "-c", folder.file("nginx.conf"), "-e", "stderr"],
            environment: ["PATH": ProxyFixture.path])
        _ = try await program.line(containing: "event method")
        return program
    }

    /// Writes a file below the fixture's folder, with its folders.
    static func put(_ text: String, _ name: String, _ folder: TemporaryDirectory) throws {
        let url = URL(fileURLWithPath: folder.file(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private static func token(_ gateway: RunningGateway) async throws -> String {
        let body = #"{"email":"\#(SystemFixture.email)","password":"\#(SystemFixture.password)"}"#
        let response = try await ProxyFixture.exchange(
            RawSocket(port: gateway.port), post("/api/auth/login", body, []))
        guard let token = try JSONValue(parsing: response.body)["accessToken"]?.string else {
            throw ChildProcess.Failure("No token: \(response.text)")
        }
        return token
    }

    private static func post(_ path: String, _ body: String, _ fields: [String]) -> String {
        let lines = [
            "POST \(path) HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", "Connection: close",
            "Content-Length: \(body.utf8.count)",
        ]
        return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// The ids of the assets by name, once the gateway has found this many.
    func ids(_ count: Int) async throws -> [String: String] {
        for _ in 1...1_000 {
            let response = try await ProxyFixture.exchange(
                RawSocket(port: gateway.port),
                Self.post("/api/search/metadata", #"{"size":1000}"#, ["Authorization: Bearer \(token)"]))
            let items = try JSONValue(parsing: response.body)["assets"]?["items"]?.array ?? []
            if items.count == count {
                return Dictionary(
                    items.compactMap { item in
                        guard let path = item["originalPath"]?.string, let id = item["id"]?.string else { return nil }
                        return (String(path.dropFirst(SystemFixture.email.utf8.count + 1)), id)
                    }, uniquingKeysWith: { first, _ in first })
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw ChildProcess.Failure("The library does not have \(count) files.")
    }

    /// One signed-in request, to nginx.
    func ask(_ path: String, _ fields: [String] = []) async throws -> RawResponse {
        try await ProxyFixture.exchange(RawSocket(path: socket), request(path, "GET", fields))
    }

    /// What nginx sends for a `HEAD` request.
    func head(_ path: String) async throws -> String {
        String(
            decoding: try await ProxyFixture.bytes(RawSocket(path: socket), request(path, "HEAD", [])), as: UTF8.self)
    }

    /// One signed-in request to the gateway, without the proxy.
    func askDirectly(_ path: String, _ fields: [String] = []) async throws -> RawResponse {
        try await ProxyFixture.exchange(RawSocket(port: gateway.port), request(path, "GET", fields))
    }

    private func request(_ path: String, _ method: String, _ fields: [String]) -> String {
        let lines = [
            "\(method) \(path) HTTP/1.1", "Host: photos.example.org", "Connection: close",
            "Authorization: Bearer \(token)",
        ]
        return (lines + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }
}
