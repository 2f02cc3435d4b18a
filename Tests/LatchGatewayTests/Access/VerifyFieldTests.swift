import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import OpenIDConnect
import TestSupport
import Testing

@testable import ForwardAuth
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What a proxy sends about a request.
@Suite("The fields of forward authentication", .timeLimit(.minutes(20)))
struct VerifyFieldTests: AsksForwardAuth {
    @Test("Only trusted proxies are accepted, and others are logged once a minute")
    func untrusted() async throws {
        try await with(trusted: "192.0.2.0/24") { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for _ in 1...3 { #expect(try await ask(fixture, "/health", token: token).status == 403) }
            #expect(fixture.lines.text.components(of: "not a trusted proxy asked") == 1)
            fixture.clock.advance(61)
            _ = try await ask(fixture, "/health")
            #expect(fixture.lines.text.components(of: "not a trusted proxy asked") == 2)
        }
    }

    @Test(
        "Contradictory, repeated or unreadable fields are refused",
        arguments: [
            [("X-Forwarded-Uri", "/health")], [("X-Forwarded-Host", "app.example.org")], [("x-forwarded-host", "evil")],
            [("X-Forwarded-Proto", "http")], [("X-Forwarded-Method", "GET")], [("X-Original-URI", "/other")],
            [("X-Original-URL", "https://other.example/health")], [("X-Original-URL", "https://app.example.org/x")],
            [("X-Original-URL", "http://app.example.org/health")], [("X-Original-URL", "/health")],
            [("X-Original-Method", "POST")], [("X-Rewrite-URL", "/admin")], [("X-HTTP-Method-Override", "DELETE")],
            [("X-Method-Override", "PUT")], [("X-HTTP-Method", "PUT")],
            [("X-Original-URI", "/health"), ("X-Original-URI", "/health")], [("X-Original-URI", "")],
            [("X-Original-URL", "https://user@app.example.org/health")],
        ])
    func contradictory(more: [(String, String)]) async throws {
        try await with { (fixture: GatewayFixture) async throws in
            #expect(try await ask(fixture, "/health", more).status == 400)
        }
    }

    @Test(
        "A field counts in every spelling that a backend may read as its name",
        arguments: "!#$%&'*+.^_`|~".map(String.init))
    func aliases(sign: String) async throws {
        try await with { (fixture: GatewayFixture) async throws in
            let fields = [
                ("X-Original-URL", "https://app.example.org/x"), ("X-Original-URI", "/x"), ("X-Rewrite-URL", "/x"),
                ("X-Original-Method", "PUT"), ("X-HTTP-Method-Override", "PUT"), ("X-Method-Override", "PUT"),
                ("X-HTTP-Method", "PUT"), ("X-Forwarded-Uri", "/x"), ("X-Forwarded-Host", "evil.example"),
            ]
            for (name, value) in fields {
                let last = name.split(separator: "-").last ?? ""
                for alias in [name.replacing("-", with: sign), "\(name.dropLast(last.utf8.count + 1))\(sign)\(last)"] {
                    let response = try await ask(fixture, "/health", [(alias, value)])
                    #expect(response.status == 400, "\(alias)")
                }
            }
            #expect(try await ask(fixture, "/health", [("X\(sign)Original\(sign)URLs", "/x")]).status == 200)
        }
    }

    @Test("Both kinds of field names are accepted, also together if they agree")
    func spellings() async throws {
        try await with { (fixture: GatewayFixture) async throws in
            let url = [("X-Original-URL", "https://app.example.org/health?x=1"), ("X-Original-Method", "GET")]
            #expect(try await fixture.http.send("GET", "/auth/verify", headers: url).status == 200)
            let uri = [
                ("X-Original-URI", "/health"), ("X-Original-Method", "GET"),
                ("X-Forwarded-Host", "App.Example.org:443"),
                ("X-Forwarded-Proto", "https"),
            ]
            #expect(try await fixture.http.send("GET", "/auth/verify", headers: uri).status == 200)
            #expect(try await ask(fixture, "/health", uri.dropLast(2) + []).status == 200)
        }
    }

    @Test(
        "A request that leaves HTTP/1.1 is refused with the reason, signed in or not",
        arguments: [
            "h2c", "H2C", "h2c, websocket", "websocket, h2c", "TLS/1.0", "websocket/13", "connect-udp", "",
        ])
    func otherProtocol(upgrade: String) async throws {
        try await with { (fixture: GatewayFixture) async throws in
            try await fixture.addPerson()
            for token in [nil, try await fixture.token()] {
                let response = try await ask(fixture, "/health", token: token, [("Upgrade", upgrade)])
                #expect(response.status == 400)
                #expect(response.text.contains("Upgrade to anything but 'websocket'"))
                let nginx = try await ask(
                    fixture, "/health", token: token, query: "?proxy=nginx", [("Upgrade", upgrade)])
                #expect(nginx.status == 403)
                for method in ["CONNECT", "TRACE"] {
                    #expect(try await ask(fixture, "/health", method: method, token: token).status == 400)
                }
            }
            for upgrade in ["websocket", "WebSocket"] {
                #expect(try await ask(fixture, "/health", [("Upgrade", upgrade)]).status == 200)
                #expect(try await ask(fixture, "/photos", [("Upgrade", upgrade)]).status == 401)
            }
            let twice = [("Upgrade", "websocket"), ("Upgrade", "websocket")]
            #expect(try await ask(fixture, "/health", twice).status == 400)
        }
    }

    @Test("A request without one of the fields is refused, and a missing host is logged")
    func incomplete() async throws {
        try await with { (fixture: GatewayFixture) async throws in
            let all = [
                ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"),
                ("X-Forwarded-Uri", "/health"),
            ]
            for left in all.indices {
                var remaining = all
                remaining.remove(at: left)
                #expect(try await fixture.http.send("GET", "/auth/verify", headers: remaining).status == 400)
            }
            #expect(fixture.lines.text.components(of: "did not send the host") == 1)
        }
    }

    @Test(
        "An ambiguous path is refused, signed in or not, and for nginx always with 403",
        arguments: [
            "/share/../admin", "/share/%2e%2e/admin", "/share//x", "/share/..;/admin", "/share;x/a",
            "/share%2f..%2fadmin",
            "/share/%5c..%5cadmin", "/share\\..\\admin", "/share/%252e%252e/admin", "/share/./x", "/share/%00",
            "/share/%",
            "/admin%3Fx", "/admin%23/x", "/off%23/x", "/health%3f", "/share%3F/x", "/ada%3F%23",
            "/share/#/x", "share/x", "*", "https://app.example.org/share/x", "/share/\u{c3}\u{a4}",
        ])
    func ambiguousPaths(path: String) async throws {
        try await with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for token in [nil, token] {
                #expect(try await ask(fixture, path, token: token).status == 400)
                #expect(try await ask(fixture, path, token: token, query: "?proxy=nginx").status == 403)
            }
        }
    }

    @Test("The scheme's default port in a rule matches an address without a port")
    func ports() async throws {
        let change: (inout GatewaySettings) -> Void = { settings in
            settings.verify.rules.rules = [
                AccessDraft(hosts: ["app.example.org:443"], allow: .nobody).rule("tls"),
                AccessDraft(hosts: ["app.example.org:8443"], allow: .everybody).rule("other"),
            ]
        }
        try await with(change: change) { fixture in
            for (host, status) in [
                ("app.example.org", 403), ("app.example.org:443", 403), ("APP.example.org:443", 403),
                ("app.example.org:8443", 200), ("app.example.org:80", 401), ("app.example.org.", 400),
            ] {
                let fields = [
                    ("X-Forwarded-Host", host), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "GET"),
                    ("X-Forwarded-Uri", "/"),
                ]
                let response = try await fixture.http.send("GET", "/auth/verify", headers: fields)
                #expect(response.status == status, "\(host)")
            }
        }
    }

    @Test("The proxy may use any method, and the method in its fields counts")
    func methods() async throws {
        try await with { (fixture: GatewayFixture) async throws in
            for method in ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "REPORT"] {
                let fields = [
                    ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"),
                    ("X-Forwarded-Method", "POST"),
                    ("X-Forwarded-Uri", "/feed/1"),
                ]
                #expect(try await fixture.http.send(method, "/auth/verify", headers: fields, body: "").status == 401)
            }
        }
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
