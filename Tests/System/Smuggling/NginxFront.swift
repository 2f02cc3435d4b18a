import Foundation
import TestSupport

/// A real nginx with kept connections to one gateway, as an operator would put it in front.
final class NginxFront: Sendable {
    private let folder: TemporaryDirectory
    private let program: RunningProgram

    /// Whether nginx reads a request's body before it asks the gateway.
    enum Buffering: String, CaseIterable, Sendable {
        case on, off
    }

    /// Starts nginx and waits until it listens.
    static func start(before port: Int) async throws -> NginxFront {
        let front = try NginxFront(port)
        // Its sockets listen before it chooses how to wait for them.
        try await front.program.line(containing: "event method")
        return front
    }

    private init(_ port: Int) throws {
        folder = try TemporaryDirectory()
        try folder.write(Self.configuration(folder.path, port), to: "nginx.conf")
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        program = try RunningProgram(
            "/usr/bin/env",
            ["PATH=\(path)", "nginx", "-p", folder.path, "-c", folder.file("nginx.conf"), "-e", "stderr"],
            environment: ["PATH": path])
    }

    /// Connects to nginx.
    func connect(_ buffering: Buffering) throws -> RawSocket {
        try RawSocket(path: folder.file("\(buffering.rawValue).sock"))
    }

    /// Ends nginx once it has answered what it began to.
    func stop() async {
        program.send(SIGQUIT)
        await program.waitForExit()
    }

    /// The paths of the requests that nginx sent on, as often as it did; complete once it has stopped.
    func forwardedPaths() throws -> [String] {
        try String(contentsOfFile: folder.file("access.log"), encoding: .utf8).split(separator: "\n").compactMap {
            line in
            let parts = line.split(separator: "|", maxSplits: 1)
            guard parts.count == 2, parts[0] != "-" else { return nil }
            return String(parts[1].prefix { $0 != "?" })
        }
    }

    private static func configuration(_ folder: String, _ port: Int) -> String {
        let servers = Buffering.allCases.map { buffering in
            """
            server {
                listen unix:\(folder)/\(buffering.rawValue).sock;
                location / {
                    proxy_pass http://gateway;
                    proxy_request_buffering \(buffering.rawValue);
                }
            }
            """
        }
        return """
            daemon off;
            master_process off;
            pid \(folder)/nginx.pid;
            error_log stderr notice;
            events { worker_connections 1024; }
            http {
                log_format forwarded '$upstream_addr|$request_uri';
                access_log \(folder)/access.log forwarded;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                client_header_timeout 1s;
                client_body_timeout 1s;
                keepalive_timeout 1s;
                upstream gateway {
                    server 127.0.0.1:\(port);
                    keepalive 32;
                }
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header Host $http_host;
                proxy_next_upstream off;
                \(servers.joined(separator: "\n"))
            }
            """
    }
}
