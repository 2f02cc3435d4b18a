/// A request that tries to leave HTTP/1.1 or to give a backend fields that only the gateway may set.
struct ForgedRequest: Sendable {
    /// What it tries.
    let name: String
    /// The bytes, given the path.
    let text: @Sendable (_ path: String) -> String

    /// Every one. `smuggled` is in the target of each request that a proxy must not see as a request of its own.
    static let all = upgrades + methods + targets + connections + doubled + trailers + codings

    private static func get(_ name: String, _ fields: [String]) -> ForgedRequest {
        ForgedRequest(name: name) { path in
            (["GET \(path) HTTP/1.1", "Host: app.example.org"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        }
    }

    /// Source: RFC 9110 §7.8; RFC 7540 §3.2.1.
    private static let upgrades = [
        ["Upgrade: h2c"], ["upgrade: H2C"], ["Upgrade: h2c, websocket"], ["Upgrade: websocket, h2c"],
        ["Upgrade: h2c", "Upgrade: websocket"], ["Upgrade: websocket", "Upgrade: h2c"], ["Upgrade: TLS/1.0"],
        ["Upgrade: websocket/13"], ["Upgrade: websocketh2c"], ["Upgrade: h2c websocket"], ["Upgrade:\th2c"],
        ["Upgrade: connect-udp"], ["Upgrade: any"],
    ].flatMap { fields in
        ["Upgrade", "Upgrade, HTTP2-Settings", "HTTP2-Settings", "keep-alive, Upgrade", "close, Upgrade"].map {
            get(
                "\(fields), Connection: \($0)",
                fields + ["Connection: \($0)", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"])
        } + [get("\(fields) without Connection", fields)]
    }

    private static let methods =
        [
            "CONNECT app.example.org:80", "CONNECT app.example.org", "CONNECT PATH",
            "CONNECT http://app.example.orgPATH",
            "TRACE PATH", "TRACK PATH", "connect PATH", "trace PATH",
        ].map(line)
        + ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"].map { preface in
            ForgedRequest(name: "an HTTP/2 preface") { _ in preface }
        }

    private static let targets = [
        "GET http://evil.examplePATH", "GET https://app.example.org:444PATH", "GET http://root@app.example.orgPATH",
        "GET http://app.example.org@evil.examplePATH", "GET //evil.examplePATH", "GET app.example.org:80",
        "GET http:PATH", "GET *",
    ].map(line)

    private static func line(_ start: String) -> ForgedRequest {
        ForgedRequest(name: start) { path in
            "\(start.replacing("PATH", with: path)) HTTP/1.1\r\nHost: app.example.org\r\nX-Auth-User: root\r\n\r\n"
        }
    }

    private static let connections = [
        "X-Auth-User", "Authorization, Cookie, X-Forwarded-Host", "X-Forwarded-Uri, X-Forwarded-Method", "Host",
        "Upgrade",
        "close, X-Forwarded-Proto, X-Forwarded-For", "Transfer-Encoding", "Content-Length",
        "X-Auth-User;x, \"X-Auth-User\"",
    ].map { get("Connection: \($0)", ["Connection: \($0)", "X-Auth-User: root"]) }

    private static let doubled = [
        ["Host: evil.example"], ["Host: app.example.org"], ["X-Auth-User: root", "X-Auth-User: root2"],
        ["X-Forwarded-Host: evil.example", "X-Forwarded-Host: app.example.org"],
        ["X_Auth_User: root", "X.Auth.User: root"],
        ["X-Auth-User : root"], ["X-Auth-User\t: root"], [" X-Auth-User: root"], ["X-A: b", "\tX-Auth-User: root"],
        ["X-A: b\nX-Auth-User: root"], ["X-A: b\rX-Auth-User: root"], ["X-A: b\0", "X-Auth-User: root"],
        ["X-Original-URL: /health"], ["X-Rewrite-URL: /health"], ["X-Original-URI: /health", "X-Original-Method: GET"],
        ["Forwarded: host=evil.example;proto=https;for=127.0.0.1"], ["X-HTTP-Method-Override: CONNECT"],
    ].map { get("\($0)", $0) }

    /// Source: RFC 9110 §6.5.
    private static let trailers = ["", "Trailer: X-Auth-User\r\n", "TE: trailers\r\nConnection: TE\r\n"].map { field in
        ForgedRequest(name: "a trailer after '\(field.debugDescription)'") { path in
            "POST \(path) HTTP/1.1\r\nHost: app.example.org\r\nTransfer-Encoding: chunked\r\n\(field)\r\n"
                + "3\r\nabc\r\n0\r\nX-Auth-User: root\r\nX-Auth-Groups: admins\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n"
        }
    }

    /// A second request, hidden behind a body whose end two servers may see in different places.
    private static let codings = SmugglingForm.all.map { form in
        ForgedRequest(name: form.name) { path in
            form.text(path, "GET /smuggled HTTP/1.1\r\nHost: app.example.org\r\nX-Auth-User: root\r\n\r\n")
                .replacing("Host: a\r", with: "Host: app.example.org\r")
        }
    }
}
