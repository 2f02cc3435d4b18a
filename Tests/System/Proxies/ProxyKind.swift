import Foundation
import TestSupport
import Testing

/// A reverse proxy that asks the gateway, run by the very files that `Integrations/` has for operators.
enum ProxyKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case nginx, caddy, haproxy, apache
    /// nginx that caches positive answers for a second.
    case cachingNginx

    var testDescription: String { rawValue }

    /// What is put in place of an operator's addresses, and where it listens.
    struct Places {
        let gateway: Int
        let backend: Int
        let socket: String
        /// Whether clients talk HTTP/2 without asking for it first.
        let isHTTP2: Bool
        /// An address of the loopback network that nobody else has, for Caddy: behind a Unix socket it tells nothing of the
        /// request that it holds.
        let host = "127.\(Int.random(in: 64...127)).\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
        let folder: TemporaryDirectory

        static let port = 24_302
    }

    /// Connects to the proxy.
    func connect(_ places: Places, deadline: Int = SuccessTimeout.seconds) throws -> RawSocket {
        listensOnPort
            ? try RawSocket(host: places.host, port: Places.port, deadline: deadline)
            : try RawSocket(path: places.socket, deadline: deadline)
    }

    /// Caddy and Apache cannot listen on a suitable Unix socket.
    private var listensOnPort: Bool { self == .caddy || self == .apache }

    /// Writes the configuration and tells how the program is started.
    func command(_ places: Places) throws -> [String] {
        for name in try FileManager.default.contentsOfDirectory(atPath: source) {
            let text = try String(contentsOfFile: "\(source)/\(name)", encoding: .utf8)
            try places.folder.write(try adapted(text, name, places), to: name)
        }
        switch self {
        case .nginx, .cachingNginx:
            let files = ["latchd-http.conf"] + (self == .nginx ? [] : ["latchd-cache-http.conf"])
            let includes = (files + ["app.example.org.conf"]).map { "include \($0);" }
            try places.folder.write(
                Self.nginxAround(places.folder, includes.joined(separator: "\n")), to: "nginx.conf")
            return ["nginx", "-p", places.folder.path, "-c", places.folder.file("nginx.conf"), "-e", "stderr"]
        case .caddy:
            return ["caddy", "run", "--config", places.folder.file("Caddyfile"), "--adapter", "caddyfile"]
        case .haproxy:
            return ["haproxy", "-db", "-C", places.folder.path, "-f", places.folder.file("haproxy.cfg")]
        case .apache:
            try places.folder.write(Self.apacheAround(places), to: "apache.conf")
            // One process, in the foreground and without another user.
            return ["apache2", "-X", "-f", places.folder.file("apache.conf")]
        }
    }

    private var source: String {
        "\(Products.packageFolder)/Integrations/\(self == .cachingNginx ? "nginx" : rawValue)"
    }

    /// The operator's file with this test's addresses, one line for a backend that reads another field, and for nginx the lines
    /// that pass on the gateway's span. Nothing else is changed.
    private func adapted(_ text: String, _ name: String, _ places: Places) throws -> String {
        var text = text.replacing("127.0.0.1:2283", with: "127.0.0.1:\(places.gateway)")
            .replacing("127.0.0.1:8080", with: "127.0.0.1:\(places.backend)")
        switch self {
        case .nginx, .cachingNginx:
            let addresses =
                ["unix:\(places.socket)"] + [0, 1].map { "\(places.host):\(Places.port + $0)" }
            let listens = addresses.map { "listen \($0)\(places.isHTTP2 ? " http2" : "");" }
            text = text.replacing("listen 80;", with: listens.joined(separator: " "))
                .replacing("/run/latchd/latchd.sock", with: places.folder.file("latchd.sock"))
                .replacing("/run/latchd-cache", with: places.folder.file("cache"))
            if self == .cachingNginx {
                // With a second host, whose answers are others.
                text = text.replacing("# include latchd-cache.conf;", with: "include latchd-cache.conf;")
                    .replacing("server_name app.example.org;", with: "server_name app.example.org second.example.org;")
            }
        case .caddy:
            // Without a certificate of its own.
            text = text.replacing(
                "app.example.org {\n", with: "http://app.example.org {\n\tbind \(places.host)\n")
            let protocols = places.isHTTP2 ? "\tservers {\n\t\tprotocols h1 h2 h2c\n\t}\n" : ""
            text = "{\n\tadmin off\n\thttp_port \(Places.port)\n\(protocols)}\n" + text
        case .haproxy:
            text = text.replacing(
                "bind :80", with: "bind unix@\(places.socket)\n    bind \(places.host):\(Places.port)")
        case .apache:
            text = text.replacing("*:80", with: "\(places.host):\(Places.port)")
                .replacing("/etc/apache2/latchd.lua", with: places.folder.file("latchd.lua"))
        }
        // On a line of its own, in the file that has the line before it.
        let addition = remoteUser
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            let isPlace = line.contains(addition.behind) && !line.trimmingCharacters(in: .whitespaces).hasPrefix("#")
            return isPlace ? [String(line), addition.line] + traceLines : [String(line)]
        }.joined(separator: "\n")
    }

    /// The lines in docs/operations.md with which nginx passes on the gateway's span. The others pass on the client's.
    private var traceLines: [String] {
        guard self == .nginx else { return [] }
        return ["traceparent", "tracestate"].flatMap { name in
            [
                "auth_request_set $latchd_\(name) $upstream_http_\(name);", "proxy_set_header \(name) $latchd_\(name);",
            ]
        }
    }

    private static func apacheAround(_ places: Places) -> String {
        let modules = [
            "mpm_event", "authz_core", "headers", "http2", "lua", "proxy", "proxy_http", "rewrite",
        ].map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        return """
            ServerRoot "\(places.folder.path)"
            ServerName unknown.invalid
            PidFile "\(places.folder.file("apache.pid"))"
            Mutex "file:\(places.folder.path)" default
            ErrorLog /dev/stderr
            Listen \(places.host):\(Places.port)
            Protocols \(places.isHTTP2 ? "h2c " : "")http/1.1
            \(modules.joined(separator: "\n"))
            Include "\(places.folder.file("app.example.org.conf"))"
            """
    }

    /// The line in docs/any-backend.md for a backend that reads the person's id from `X-Remote-User`, and the line before it.
    private var remoteUser: (behind: String, line: String) {
        switch self {
        case .nginx: ("include latchd-protect.conf;", "proxy_set_header X-Remote-User $latchd_user;")
        case .cachingNginx:
            (
                "include latchd-protect.conf;",
                """
                proxy_set_header X-Remote-User $latchd_user;
                auth_request_set $latchd_cache $upstream_cache_status;
                add_header X-Cache $latchd_cache always;
                """
            )
        case .caddy:
            ("request_header -X-Auth-Credential", "request_header X-Remote-User {http.request.header.X-Auth-User}")
        case .haproxy:
            (
                "unless is_latchd or { var(txn.latchd) -m bool }",
                "http-request set-header X-Remote-User %[req.hdr(x-auth-user)] if { req.hdr(x-auth-user) -m found }"
            )
        case .apache:
            (
                "<Location \"/\">",
                #"RequestHeader set X-Remote-User "expr=%{req:X-Auth-User}" "expr=-n %{req:X-Auth-User}""#
            )
        }
    }

    /// The rest of nginx's configuration around the files of an operator.
    static func nginxAround(_ folder: TemporaryDirectory, _ servers: String) -> String {
        let folder = folder.path
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
                \(servers)
            }
            """
    }
}
