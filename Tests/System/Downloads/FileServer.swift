import Foundation
import TestSupport

/// A real nginx that serves a folder, and signs everybody in as a server of Onyx does.
final class FileServer: Sendable {
    /// The server's address.
    let address: String
    private let folder: TemporaryDirectory
    private let port: HeldPort
    private let program: RunningProgram

    /// Starts nginx over the files below `root`, which are at `/files/`, and waits until it listens.
    static func start(_ root: String) async throws -> FileServer {
        let server = try FileServer(root)
        try await server.program.line(containing: "event method")
        return server
    }

    private init(_ root: String) throws {
        (folder, port) = (try TemporaryDirectory(), try HeldPort())
        address = "http://127.0.0.1:\(port.number)"
        // As root, nginx would serve as somebody who may not read here.
        let user = getuid() == 0 ? "user root;" : ""
        try folder.write(Self.configuration(folder.path, port.number, root, user), to: "nginx.conf")
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        program = try RunningProgram(
            "/usr/bin/env",
            ["PATH=\(path)", "nginx", "-p", folder.path, "-c", folder.file("nginx.conf"), "-e", "stderr"],
            environment: ["PATH": path])
    }

    private static let answers = [
        ("auth/type", #"{"multi_tenant":false,"password_auth_enabled":true}"#),
        ("auth/mobile/login", #"{"access_token":"token-of-ada","token_type":"bearer"}"#),
        ("auth/mobile/refresh", #"{"access_token":"token-of-ada","token_type":"bearer"}"#),
        ("me", #"{"id":"1","email":"ada@example.org","is_active":true,"role":"basic"}"#),
    ]

    private static func configuration(_ folder: String, _ port: Int, _ root: String, _ user: String) -> String {
        let answers = answers.map { "location = /api/\($0.0) { default_type application/json; return 200 '\($0.1)'; }" }
        return """
            daemon off;
            master_process off;
            \(user)
            pid \(folder)/nginx.pid;
            error_log stderr notice;
            events { worker_connections 1024; }
            http {
                access_log off;
                default_type application/octet-stream;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                server {
                    listen 127.0.0.1:\(port);
                    \(answers.joined(separator: "\n        "))
                    location /files/ { root \(root); }
                }
            }
            """
    }
}
