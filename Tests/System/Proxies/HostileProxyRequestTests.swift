import Foundation
import HTTPMessages
import TestSupport
import Testing

/// What clients cannot forge or circumvent behind real proxies.
@Suite("Hostile requests to a proxy with forward authentication", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct HostileProxyRequestTests {
    @Test("identity fields from the client are ignored", arguments: ProxyKind.allCases)
    func smuggling(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            let forged =
                [
                    "X-Auth-User: root", "x-auth-user: root2", "X_Auth_User: root", "X-Auth_User: root",
                    "X_AUTH_EMAIL: root@x",
                    "X-Auth-Email: root@x", "X-Auth-Email: root2@x", "X-Auth-Name: root", "X-Auth-Groups: admins",
                    "X_Auth_Groups: admins", "X-Auth-Session: root", "X_Auth_Roles: root",
                ] + ([.nginx, .cachingNginx].contains(kind) ? [] : ["X-Auth-Roles: root"])
                + Self.signs.flatMap {
                    ["X\($0)Auth\($0)User: root", "X-Auth\($0)Email: root@x", "x\($0)auth-name: root"]
                }
            let open = try #require(BackendView(try await fixture.ask("/health", forged)))
            for name in ["user", "email", "name", "groups", "session"] {
                #expect(open.values(like: "x-auth-\(name)").isEmpty, "\(name): \(open.fields)")
            }
            let signedIn = try #require(
                BackendView(try await fixture.ask("/", forged + ["Authorization: Bearer \(token)"])))
            #expect(signedIn.values(like: "x-auth-email") == [SystemFixture.email])
            #expect(signedIn.values(like: "x-auth-groups").isEmpty)
            #expect(!signedIn.fields.contains { $0.contains("root") })
        }
    }

    /// What may stand in a field's name and is neither letter, digit nor hyphen: some backends make hyphens or underscores of
    /// all of them.
    ///
    /// Source: RFC 9110 §5.6.2.
    private static let signs = "!#$%&'*+.^_`|~".map(String.init)

    @Test(
        "the gateway's fields reach the backend even if the client's Connection lists them",
        arguments: ProxyKind.allCases)
    func connection(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            let names = "X-Auth-User, x-auth-email, X-Auth-Name, X-Auth-Session, X-Forwarded-For, Authorization, Cookie"
            for fields in [["Connection: close, \(names)"], ["Connection: \(names)"]] {
                let response = try await fixture.ask("/photos", ["Authorization: Bearer \(token)"] + fields)
                let view = try #require(BackendView(response), "\(response)")
                #expect(view.values(like: "x-auth-email") == [SystemFixture.email])
                #expect(view.values(like: "x-auth-user").map(\.utf8.count) == [36])
                #expect(view.values(like: "x-auth-session").map(\.utf8.count) == [12])
                #expect(!view.fields.contains { $0.leaks(token) }, "\(view.fields)")
            }
            // The same for one that asks for another protocol.
            let response = try await fixture.ask(
                "/photos",
                [
                    "Upgrade: websocket", "Connection: Upgrade, \(names)", "Authorization: Bearer \(token)",
                    "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                ])
            let view = try #require(BackendView(response), "\(response)")
            #expect(view.values(like: "x-auth-email") == [SystemFixture.email])
            #expect(view.values(like: "upgrade") == ["websocket"])
            #expect(view.values(like: "connection").map { $0.lowercased() } == ["upgrade"])
        }
    }

    @Test(
        "rules match a host in capital letters and with a port, and a trailing dot gives no access",
        arguments: ProxyKind.allCases)
    func hostSpellings(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = ["Authorization: Bearer \(try await fixture.token())"]
            for host in [
                "APP.Example.ORG", "app.example.org:80", "app.example.org:8443", "app.example.org.",
                "APP.EXAMPLE.ORG.:81",
            ] {
                let admin = try await fixture.ask("/admin/x", host: host, token)
                #expect(BackendView(admin) == nil, "'\(host)' reached the backend")
                let response = try await fixture.ask("/photos", host: host)
                #expect(BackendView(response) == nil, "'\(host)' reached the backend")
            }
            #expect(BackendView(try await fixture.ask("/photos", host: "APP.Example.ORG", token)) != nil)
        }
    }

    @Test("a Host that names several hosts reaches no backend", arguments: ProxyKind.allCases)
    func severalHosts(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let (app, open) = ("app.example.org", "public.example.org")
            for separator in [
                ",", ", ", " , ", "\t", " ", ";", "; ", "/", "\\", "@", "#", "?", "|", "%2c", "\"", ":80,", ":80, ",
            ] {
                for host in [app + separator + open, open + separator + app, app + separator + open + separator + app] {
                    let response = try await fixture.first("GET /photos HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                    #expect(response.flatMap { BackendView($0) } == nil, "'\(host)' reached the backend")
                }
            }
        }
    }

    @Test(
        "no field that a client sends about its request gives access to a protected address",
        arguments: ProxyKind.allCases)
    func forwarded(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let claims = [
                ["X-Forwarded-Uri: /health"], ["X-Forwarded-Host: other.example.org"], ["X-Forwarded-Method: OPTIONS"],
                ["X-Forwarded-Uri: /health", "X-Forwarded-Uri: /health"], ["X-Original-URI: /health"],
                ["X-Original-URL: http://app.example.org/health"], ["X-Rewrite-URL: /health"],
                ["X_Forwarded_Uri: /health"], ["X-Forwarded-Proto: https"], ["X-Forwarded-For: 127.0.0.1"],
                ["X-Original-Method: GET", "X-Original-URI: /share/x"], ["Connection: close, X-Forwarded-Uri"],
                ["Connection: X-Forwarded-Host, X-Forwarded-Method"],
            ]
            for claim in claims {
                let response = try await fixture.ask("/photos", claim)
                #expect([400, 401, 403].contains(response.status), "\(claim): \(response.status)")
            }
            // Where it is believed for the way back, that leads to another host than the one that was asked for.
            let sent = try await fixture.ask("/photos", ProxyFixture.navigation + ["X-Forwarded-Host: evil.example"])
            #expect(sent["location"]?.contains("evil") != true)
        }
    }

    @Test(
        "no backend gets what a client claims about its own address or the way to the backend",
        arguments: ProxyKind.allCases)
    func claimedAddresses(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            let claims =
                [
                    "X-Real-IP: 10.66.0.1", "x-real-ip: 10.66.0.2", "X_Real_IP: 10.66.0.3",
                    "X-Forwarded-For: 10.66.0.4",
                    "Forwarded: for=10.66.0.5;host=evil.example;proto=https", "forwarded: for=10.66.0.6",
                    "X-Forwarded-Prefix: /evil.example", "X-Forwarded-Port: evil.example",
                    "X-Forwarded-Server: evil.example", "X-Forwarded-Uri: /evil.example",
                    "X-Forwarded-Method: evil.example", "X-Forwarded-Path: /evil.example",
                    "X-Forwarded-Ssl: evil.example", "X-Forwarded-Scheme: evil.example",
                    "X-Forwarded-Client-Cert: evil.example", "X-Forwarded-Access-Token: evil.example",
                    "X-Authenticated-User: evil.example", "X-Remote_User: evil.example",
                ]
                + ([.nginx, .cachingNginx].contains(kind)
                    ? [] : ["X.Real.IP: 10.66.0.7", "X_Forwarded_For: 10.66.0.8"])
            for (path, fields) in [("/health", claims), ("/", claims + ["Authorization: Bearer \(token)"])] {
                let view = try #require(BackendView(try await fixture.ask(path, fields)))
                for text in ["10.66.", "evil.example"] {
                    #expect(!view.fields.contains { $0.contains(text) }, "\(text): \(view.fields)")
                }
                // A client of a Unix socket has no address.
                #expect(view.values(like: "x-forwarded-for").count <= 1, "\(view.fields)")
            }
        }
    }

    @Test("no backend gets another address than the requested one, in any spelling", arguments: ProxyKind.allCases)
    func otherAddresses(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            for sign in ["-"] + Self.signs {
                for name in ["X-Original-URL", "X-Original-URI", "X-Rewrite-URL"] {
                    for alias in [name.replacing("-", with: sign), "\(name.dropLast(4))\(sign)\(name.suffix(3))"] {
                        let response = try await fixture.ask("/health", ["\(alias): /photos"])
                        let view = BackendView(response)
                        #expect(view?.fields.contains { $0.contains("/photos") } != true, "\(alias)")
                    }
                }
            }
        }
    }

    @Test(
        "a client cannot hide its address from the gateway's pages by naming fields in Connection",
        arguments: ProxyKind.allCases)
    func hiddenAddress(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let names = "X-Forwarded-For, X-Forwarded-Host, X-Forwarded-Proto"
            let sources = ["127.9.8.6", "127.9.8.7", "127.9.8.8"]
            for (source, connection) in zip(sources, ["close", names, "close, \(names)"]) {
                let form = try await fixture.ask("/latch/sign-in", from: source, ProxyFixture.navigation)
                let token = try #require(
                    form.text.split(separator: "name=\"form_token\" value=\"").last?.prefix { $0 != "\"" })
                let body = FormURLEncoded.encode([
                    ("form_token", String(token)), ("username", SystemFixture.email), ("password", "wrong"),
                ])
                _ = try await fixture.ask(
                    "/latch/sign-in", method: "POST", from: source,
                    [
                        "Connection: \(connection)", "Cookie: \(ProxiesTests.cookies(of: form))",
                        "Content-Type: \(FormURLEncoded.mediaType)", "Content-Length: \(body.utf8.count)",
                        "Sec-Fetch-Site: same-origin",
                    ], body: body)
            }
            #expect(try await fixture.failedSignIns(sources.count) == sources)
        }
    }

    @Test(
        "a page of another origin cannot use the person's cookie for a change or a WebSocket",
        arguments: ProxyKind.allCases)
    func otherOrigins(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let cookie = "Cookie: __Host-latchd_session=\(try await fixture.token())"
            let socket = [
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ]
            let foreign = [["Origin: http://evil.example.org"], ["Origin: null", "Sec-Fetch-Site: same-site"]]
            let own = [["Origin: http://app.example.org"], ["Origin: https://app.example.org:8443"], []]
            for (method, fields) in [("POST", ["Content-Length: 0"]), ("DELETE", []), ("GET", socket)] {
                for origin in foreign {
                    let response = try await fixture.ask("/photos", method: method, [cookie] + fields + origin)
                    #expect(response.status == 403 && BackendView(response) == nil, "\(method) \(origin)")
                }
                for origin in own {
                    let response = try await fixture.ask("/photos", method: method, [cookie] + fields + origin)
                    #expect(BackendView(response) != nil, "\(method) \(origin): \(response)")
                }
            }
            for origin in foreign {
                #expect(BackendView(try await fixture.ask("/photos", [cookie] + origin)) != nil)
            }
        }
    }

    @Test("a path that could be read as public and as protected is refused", arguments: ProxyKind.allCases)
    func ambiguousPaths(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            let paths = [
                "/share/../photos", "/share/%2e%2e/photos", "/share/..%2fphotos", "/share/%2e%2e%2fphotos",
                "//share/x/..//photos",
                "/share//../photos", "/share/..;/photos", "/share;/../photos", "/share/.;/x", "/share/%5c..%5cphotos",
                "/share\\..\\photos", "/share/%252e%252e/photos", "/share/./../photos", "/share/%00",
                "/share/%c0%ae%c0%ae/photos",
                "/health/../photos", "/health%2f..%2fphotos", "/health;/photos", "/latch/../photos",
                "/latch/%2e%2e/photos",
                "/.well-known/oauth-protected-resource/../../photos", "/latch/..%2fphotos",
                "/admin%3Fx", "/admin%23/x", "/health%3f/x", "/share%3Fx",
            ]
            for path in paths {
                let response = try await fixture.ask(path)
                let view = BackendView(response)
                #expect(view == nil, "\(path) reached the backend as \(view?.path ?? "")")
                // Whoever is signed in gets no further by such a path: to the group's address least of all.
                let admin = path.replacing("photos", with: "admin/x")
                let member = BackendView(try await fixture.ask(admin, ["Authorization: Bearer \(token)"]))
                #expect(member == nil, "\(admin) reached the backend as \(member?.path ?? "")")
            }
        }
    }

    @Test("RFC 4918 §10.3 the rules apply to the destination of COPY and MOVE too", arguments: ProxyKind.allCases)
    func destinations(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let bearer = "Authorization: Bearer \(try await fixture.token())"
            let key = try await fixture.key(try await fixture.token())
            let basic =
                "Authorization: Basic " + Data("\(SystemFixture.email):\(key)".utf8).base64EncodedString()
            for method in ["COPY", "MOVE"] {
                for (destination, credentials) in [
                    ("/dav/y", bearer), ("http://app.example.org/dav/y", bearer), ("/dav/y", basic),
                    ("/photos", bearer),
                ] {
                    let fields = [credentials, "Destination: \(destination)"]
                    let response = try await fixture.ask("/dav/x", method: method, fields)
                    let view = try #require(BackendView(response), "\(method) to \(destination): \(response)")
                    #expect(view.values(like: "destination") == [destination])
                }
                let hostile = [
                    ["Destination: /admin/x"], ["Destination: http://app.example.org/admin/x"],
                    ["destination: /%61dmin/x"], ["Destination: http://evil.example/dav/y"],
                    ["Destination: /dav/../admin/x"], ["Destination: /dav/%2e%2e/admin/x"],
                    ["Destination: /dav/y", "Destination: /admin/x"], ["Destination: /admin/x", "Destination: /dav/y"],
                    ["Connection: close, Destination", "Destination: /admin/x"],
                ]
                for fields in hostile {
                    // A proxy may remove a field that Connection names, but then the backend must not get it either.
                    let view = BackendView(try await fixture.ask("/dav/x", method: method, [bearer] + fields))
                    #expect(view?.values(like: "destination").isEmpty ?? true, "\(method) \(fields)")
                }
                // A key is not accepted at this address, and without a sign-in only public paths are open.
                let keyed = try await fixture.ask("/dav/x", method: method, [basic, "Destination: /photos"])
                #expect(keyed.status == 401)
                #expect(try await fixture.ask("/share/a", method: method, ["Destination: /photos"]).status == 401)
                let open = try await fixture.ask("/share/a", method: method, ["Destination: /share/b"])
                #expect(BackendView(open) != nil)
            }
        }
    }

    @Test("no return address redirects to another host", arguments: ProxyKind.allCases)
    func openRedirect(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            for path in [
                "//evil.example/", "/\\evil.example/", "/%5cevil.example/", "/%2f/evil.example",
                "/photos#@evil.example",
            ] {
                let response = try await fixture.ask(path, ProxyFixture.navigation)
                let location = response["location"] ?? ""
                #expect(location.isEmpty || location.hasPrefix("http://app.example.org/latch/sign-in?return=%2Fphotos"))
            }
            let other = try await fixture.ask("/photos", host: "evil.example", ProxyFixture.navigation)
            #expect(BackendView(other) == nil)
        }
    }

    @Test("a request for an unknown host reaches no backend, signed in or not", arguments: ProxyKind.allCases)
    func otherNames(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            for host in ["zzz.example.org", "app.example.org.evil.example", "127.0.0.1", ""] {
                for fields in [[], ["Authorization: Bearer \(token)"]] {
                    let response = try await fixture.ask("/photos", host: host, fields)
                    #expect(BackendView(response) == nil, "'\(host)' reached the backend")
                }
            }
        }
    }

    @Test("a second session cookie does not expose the first one to a backend", arguments: ProxyKind.allCases)
    func secondCookie(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            for cookie in [
                "__Host-latchd_session=\(token); latchd_session=x", "latchd_session=x; __Host-latchd_session=\(token)",
                "a=b; __Host-latchd_session=\(token); __Secure-latchd_session=\(token); latchd_session=x",
            ] {
                let response = try await fixture.ask(
                    "/photos", ["Authorization: Bearer \(token)", "Cookie: \(cookie)"])
                let view = try #require(BackendView(response), "\(response)")
                #expect(!view.fields.contains { $0.leaks(token) }, "\(view.fields)")
            }
        }
    }

    @Test(
        "neither two Authorization fields nor one with two credentials show a token or a key to a backend",
        arguments: ProxyKind.allCases)
    func twoCredentials(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            let key = Data("\(SystemFixture.email):\(try await fixture.key(token))".utf8).base64EncodedString()
            for secret in ["Bearer \(token)", "Basic \(key)"] {
                for fields in [
                    ["Authorization: Basic eDp5", "Authorization: \(secret)"],
                    ["Authorization: \(secret)", "Authorization: Basic eDp5"],
                    ["Authorization: Basic eDp5, \(secret)"], ["Authorization: \(secret), Basic eDp5"],
                ] {
                    let response = try await fixture.ask("/health", fields)
                    let view = BackendView(response)
                    #expect(view != nil || response.status == 400, "\(response.status)")
                    #expect(view?.fields.contains { $0.leaks(token) || $0.leaks(key) } != true, "\(fields)")
                }
            }
        }
    }

    @Test("a backend gets its cookies as the client sent them, with commas", arguments: ProxyKind.allCases)
    func cookiesWithCommas(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let cookies = "lang=en,csrftoken=other; csrftoken=real; list=\"a,b\""
            let view = try #require(BackendView(try await fixture.ask("/health", ["Cookie: \(cookies)"])))
            #expect(view.values(like: "cookie") == [cookies])
            let token = try await fixture.token()
            let two = ["Cookie: a=b", "Cookie: __Host-latchd_session=\(token)"]
            let response = try await fixture.ask("/health", two)
            #expect(BackendView(response)?.fields.contains { $0.leaks(token) } != true)
        }
    }

    @Test("HAProxy opens no connection to the gateway for a body that is not complete")
    func slowBody() async throws {
        let folder = try TemporaryDirectory()
        // In place of the gateway: it prints each request when its head has arrived.
        let gateway = try RunningProgram(
            "/usr/bin/env", ["python3", Products.packageFolder + "/Tests/Programs/EchoBackend/echo_backend.py"],
            environment: ["PATH": ProxyFixture.path, "PYTHONDONTWRITEBYTECODE": "1"])
        let line = try await gateway.line(containing: "backend on ")
        let port = try #require(line.split(separator: " ").last.flatMap { Int($0) })
        let places = ProxyKind.Places(
            gateway: port, backend: port, socket: folder.file("proxy.sock"), isHTTP2: false, folder: folder)
        let proxy = try RunningProgram(
            "/usr/bin/env", ["-C", folder.path] + (try ProxyKind.haproxy.command(places)),
            environment: ["PATH": ProxyFixture.path])
        try await attempt {
            try await ProxyFixture.untilListening(.haproxy, places, proxy)
            let head = "/latch/sign-in HTTP/1.1\r\nHost: app.example.org\r\nConnection: close\r\n"
            let slow = try ProxyKind.haproxy.connect(places)
            try slow.write("POST \(head)Content-Length: 10000\r\n\r\n" + String(repeating: "a", count: 9_999))
            for method in Array(repeating: "GET", count: 20) + ["DELETE"] {
                let socket = try ProxyKind.haproxy.connect(places)
                #expect(try await ProxyFixture.exchange(socket, "\(method) \(head)\r\n").status == 200)
            }
            _ = try await gateway.line(containing: "request DELETE")
            #expect(!gateway.output.contains("request POST"))
            #expect(try await ProxyFixture.exchange(slow, "a").status == 200)
            _ = try await gateway.line(containing: "request POST")
        } finally: {
            for program in [proxy, gateway] {
                program.send(SIGTERM)
                await program.waitForExit()
            }
        }
    }

    @Test("a client's query does not make the gateway answer as for nginx", arguments: ProxyKind.allCases)
    func proxyQuery(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            for path in ["/photos?proxy=nginx", "/photos?proxy=nginx&a=b"] {
                let sent = try await fixture.ask(path, ProxyFixture.navigation)
                #expect(sent.status == 302, "\(path): \(sent.status)")
            }
        }
    }

    @Test(
        "a request with more fields than the proxy's script can handle reaches no backend",
        arguments: ProxyKind.allCases)
    func manyFields(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            for count in [90, 96, 98, 99, 100, 101, 120] {
                let fields = (0..<count).map { "X-Field-\($0): 1" }
                let response = try await fixture.ask("/photos", fields)
                #expect(BackendView(response) == nil, "\(count) fields")
            }
            for bytes in [4_000, 7_000, 12_000, 14_000, 15_500] {
                let long = "X-Long: " + String(repeating: "a", count: bytes)
                let response = try await fixture.ask("/photos", [long])
                #expect(BackendView(response) == nil, "\(bytes) bytes")
            }
            // Nothing of it ended the proxy.
            let token = try await fixture.token()
            #expect(BackendView(try await fixture.ask("/photos", ["Authorization: Bearer \(token)"])) != nil)
        }
    }
}
