import Foundation
import TestSupport
import Testing

/// A reverse proxy that asks the gateway, run by the very files that `Integrations/` has for operators.
enum ProxyKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case nginx, caddy, haproxy

    var testDescription: String { rawValue }

    /// What is put in place of an operator's addresses, and where it listens.
    struct Places {
        let gateway: Int
        let backend: Int
        let socket: String
        /// An address of the loopback network that nobody else has, for Caddy: behind a Unix socket it tells nothing of the
        /// request that it holds.
        let host = "127.\(Int.random(in: 64...127)).\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
        let folder: TemporaryDirectory

        static let port = 24_302
    }

    /// Connects to the proxy.
    func connect(_ places: Places) throws -> RawSocket {
        self == .caddy
            ? try RawSocket(host: places.host, port: Places.port) : try RawSocket(path: places.socket)
    }

    /// Writes the configuration and tells how the program is started.
    func command(_ places: Places) throws -> [String] {
        for name in try FileManager.default.contentsOfDirectory(atPath: source) {
            let text = try String(contentsOfFile: "\(source)/\(name)", encoding: .utf8)
            try places.folder.write(try adapted(text, name, places), to: name)
        }
        switch self {
        case .nginx:
            try places.folder.write(Self.nginxAround(places), to: "nginx.conf")
            return ["nginx", "-p", places.folder.path, "-c", places.folder.file("nginx.conf"), "-e", "stderr"]
        case .caddy:
            return ["caddy", "run", "--config", places.folder.file("Caddyfile"), "--adapter", "caddyfile"]
        case .haproxy:
            return ["haproxy", "-db", "-C", places.folder.path, "-f", places.folder.file("haproxy.cfg")]
        }
    }

    private var source: String { "\(Products.packageFolder)/Integrations/\(rawValue)" }

    /// The operator's file with this test's addresses: nothing else is changed.
    private func adapted(_ text: String, _ name: String, _ places: Places) throws -> String {
        var text = text.replacing("127.0.0.1:2283", with: "127.0.0.1:\(places.gateway)")
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(places.backend)")
        switch self {
        case .nginx: text = text.replacing("listen 80;", with: "listen unix:\(places.socket);")
        case .caddy:
            // Without a certificate of its own.
            text = text.replacing(
                "app.example.org {\n", with: "http://app.example.org {\n\tbind \(places.host)\n")
            text = "{\n\tadmin off\n\thttp_port \(Places.port)\n}\n" + text
        case .haproxy: text = text.replacing("bind :80", with: "bind unix@\(places.socket)")
        }
        return text
    }

    private static func nginxAround(_ places: Places) -> String {
        let folder = places.folder.path
        return """
            daemon off;
            master_process off;
            pid \(folder)/nginx.pid;
            error_log stderr notice;
            events {}
            http {
                access_log off;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                include latchd-http.conf;
                include app.example.org.conf;
            }
            """
    }
}
