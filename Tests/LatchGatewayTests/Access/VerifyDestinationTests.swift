import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

@testable import ForwardAuth
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Requests with a second resource, such as `COPY` and `MOVE` of WebDAV.
@Suite("The destination of a request in forward authentication", .timeLimit(.minutes(20)))
struct VerifyDestinationTests: AsksForwardAuth {
    private func move(
        _ fixture: GatewayFixture, _ path: String, to destination: String, method: String = "MOVE",
        token: String? = nil, query: String = "", _ more: [(String, String)] = []
    ) async throws -> Exchange.Response {
        try await ask(
            fixture, path, method: method, token: token, query: query, more + [("Destination", destination)])
    }

    @Test(
        "RFC 4918 §10.3 a destination is a path or an address on the requested host, with any method",
        arguments: [
            "/dav/y", "/dav/", "/dav/a%20b", "/dav/%C3%A9", "/dav/a,b", "/dav/%3Fy", "/photos/C%23", "/",
            "http://app.example.org/dav/y", "https://app.example.org/dav/y", "https://APP.Example.org:443/dav/y",
            "http://app.example.org:80/dav/y", "https://app.example.org",
            // The proxy does not report the port that the client wrote.
            "https://app.example.org:8443/dav/y",
        ])
    func accepted(destination: String) async throws {
        try await with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for method in ["COPY", "MOVE", "GET", "PUT", "MKCOL", "REBIND"] {
                let response = try await move(fixture, "/dav/x", to: destination, method: method, token: token)
                #expect(response.status == 200, "\(method)")
            }
            #expect(try await move(fixture, "/dav/x", to: destination).status == 401)
        }
    }

    @Test(
        "A destination elsewhere, or one that two servers could read differently, is refused, signed in or not",
        arguments: [
            "", "y", "../admin/x", "*", "http:", "http:/dav/y", "http:///dav/y", "HTTP://app.example.org/dav/y",
            "ftp://app.example.org/dav/y", "//app.example.org/dav/y", "http://other.example.org/dav/y",
            "http://app.example.org.evil.example/dav/y", "http://app.example.org./dav/y", "http://app/dav/y",
            "http://user@app.example.org/dav/y", "http://app.example.org@evil.example/dav/y",
            "http://app.example.org\\@evil.example/dav/y", "http://app.example.org:0/dav/y",
            "http://app%2eexample.org/dav/y", "<http://app.example.org/dav/y>", "/dav/y, /dav/z", "/dav/y z",
            "/dav/y?a=b", "/dav/y#a", "http://app.example.org?a", "http://app.example.org#/dav/y",
            "http://app.example.org/dav/y?a", "/dav/../admin/x", "/dav/%2e%2e/admin/x", "/dav/%2E./admin/x",
            "/dav//y", "/dav/./y", "/dav/..;/admin/x", "/dav;a/y", "/dav%2f..%2fadmin", "/dav/%5c..%5cadmin",
            "/dav\\y", "/dav/%252e%252e/admin", "/dav/%00", "/dav/%", "/admin%3Fx", "/admin%23/x",
            "http://app.example.org/dav/../admin/x", "http://app.example.org//admin/x",
        ])
    func refused(destination: String) async throws {
        try await with { fixture in
            try await fixture.addPerson()
            for token in [nil, try await fixture.token()] {
                for (path, method) in [("/dav/x", "MOVE"), ("/share/a", "COPY"), ("/health", "GET")] {
                    let response = try await move(fixture, path, to: destination, method: method, token: token)
                    #expect(response.status == 400, "\(method) \(path)")
                    let nginx = try await move(
                        fixture, path, to: destination, method: method, token: token, query: "?proxy=nginx")
                    #expect(nginx.status == 403, "\(method) \(path)")
                }
            }
        }
    }

    @Test("Two destinations are refused, also if they are equal and however the name is written")
    func twice() async throws {
        try await with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for (first, second) in [
                ("/dav/y", "/dav/y"), ("/dav/y", "/admin/x"), ("/admin/x", "/dav/y"), ("", "/admin/x"),
            ] {
                for name in ["Destination", "destination", "DESTINATION"] {
                    let response = try await move(fixture, "/dav/x", to: first, token: token, [(name, second)])
                    #expect(response.status == 400, "\(name): \(first), \(second)")
                }
            }
        }
    }

    @Test("The port of a destination is that of the request where the proxy reports it")
    func ports() async throws {
        try await with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for (host, destination, status) in [
                ("app.example.org:8443", "https://app.example.org:8443/dav/y", 200),
                ("app.example.org:8443", "http://app.example.org:8443/dav/y", 200),
                ("app.example.org:8443", "/dav/y", 200), ("app.example.org:8443", "https://app.example.org/dav/y", 400),
                ("app.example.org:8443", "https://app.example.org:8444/dav/y", 400),
                ("app.example.org:443", "https://app.example.org/dav/y", 200),
                ("[2001:db8::1]", "http://[2001:DB8::1]/dav/y", 200), ("[2001:db8::1]", "http://[::1]/dav/y", 400),
            ] {
                let fields = [
                    ("X-Forwarded-Host", host), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Method", "MOVE"),
                    ("X-Forwarded-Uri", "/dav/x"), ("Destination", destination),
                ]
                let response = try await fixture.http.send(
                    "GET", "/auth/verify", headers: fields + GatewayFixture.bearer(token))
                #expect(response.status == status, "\(host) \(destination)")
            }
        }
    }

    @Test("The rules for the path and for the destination must both admit the request")
    func rules() async throws {
        try await with { fixture in
            try await fixture.addPerson()
            try await fixture.addPerson("bob@example.org")
            let ada = try await fixture.token()
            let bob = try await fixture.login("bob@example.org").token.orThrow
            let rows: [(path: String, destination: String, none: Int, bob: Int, ada: Int)] = [
                ("/dav/x", "/admin/config.txt", 401, 403, 403), ("/admin/config.txt", "/dav/x", 401, 403, 403),
                ("/dav/x", "http://app.example.org/admin/config.txt", 401, 403, 403),
                ("/dav/x", "/%61dmin/config.txt", 401, 403, 403), ("/dav/x", "/admin", 401, 403, 403),
                ("/dav/x", "/ada/y", 401, 403, 200), ("/ada/x", "/dav/y", 401, 403, 200),
                ("/dav/x", "/bob/y", 401, 200, 403), ("/ada/x", "/bob/y", 401, 403, 403),
                ("/ada/x", "/ada/y", 401, 403, 200), ("/dav/x", "/off/y", 403, 403, 403),
                ("/off/x", "/dav/y", 403, 403, 403), ("/share/a", "/off/y", 403, 403, 403),
                ("/share/a", "/share/b", 200, 200, 200), ("/share/a", "/photos", 401, 200, 200),
                ("/photos", "/share/a", 401, 200, 200), ("/share/a", "/admin/x", 401, 403, 403),
                ("/share/a", "/ada/x", 401, 403, 200), ("/share/a", "/share/%3Fb", 401, 200, 200),
                // The rule for these is for GET.
                ("/share/a", "/feed/1", 401, 200, 200),
            ]
            for row in rows {
                for (token, status) in [(nil, row.none), (bob, row.bob), (ada, row.ada)] {
                    for method in ["COPY", "MOVE", "PUT"] {
                        let response = try await move(
                            fixture, row.path, to: row.destination, method: method, token: token)
                        #expect(response.status == status, "\(method) \(row.path) to \(row.destination)")
                    }
                }
            }
            #expect(try await move(fixture, "/feed/1", to: "/feed/2", method: "GET").status == 200)
            #expect(try await move(fixture, "/feed/1", to: "/photos", method: "GET").status == 401)
        }
    }

    @Test(
        "The destination counts for all fields in which proxies describe a request",
        arguments: [
            [("X-Original-URL", "https://app.example.org/dav/x"), ("X-Original-Method", "MOVE")],
            [
                ("X-Original-URI", "/dav/x"), ("X-Original-Method", "MOVE"), ("X-Forwarded-Host", "app.example.org"),
                ("X-Forwarded-Proto", "https"),
            ],
            [
                ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Uri", "/dav/x"),
                ("X-Forwarded-Method", "MOVE"),
            ],
        ])
    func conventions(fields: [(String, String)]) async throws {
        try await with { fixture in
            try await fixture.addPerson()
            let bearer = GatewayFixture.bearer(try await fixture.token())
            for (query, refusal) in [("", 400), ("?proxy=nginx", 403), ("?proxy=caddy", 400)] {
                for (destination, status) in [
                    ("/dav/y", 200), ("https://app.example.org/dav/y", 200), ("/admin/x", 403),
                    ("http://app.example.org/admin/x", 403), ("/dav//y", refusal),
                ] {
                    // The proxy may use any method.
                    for method in ["GET", "MOVE"] {
                        let response = try await fixture.http.send(
                            method, "/auth/verify" + query, headers: fields + bearer + [("Destination", destination)])
                        #expect(response.status == status, "\(query) \(destination)")
                    }
                }
            }
        }
    }

    @Test("A person's key is accepted only if the rules for both paths accept keys")
    func keys() async throws {
        try await with { fixture in
            let ada = try await fixture.addPerson()
            let key = try await fixture.gateway.stores.apiKeys.create(
                for: ada, name: "calendar", scopes: ["app"], maximum: 10
            ).key.reveal()
            let basic = [
                ("Authorization", "Basic " + Data("\(GatewayFixture.email):\(key)".utf8).base64EncodedString())
            ]
            for (path, destination, status) in [
                ("/dav/x", "/dav/y", 200), ("/dav/x", "https://app.example.org/dav/y", 200), ("/dav/x", "/photos", 401),
                ("/dav/x", "/admin/config.txt", 401), ("/photos", "/dav/x", 401), ("/dav/x", "/bob/y", 403),
                ("/dav/x", "/dav/%3Fy", 200), ("/dav/x", "/dav%3Fy", 401), ("/dav/x", "/share/a", 401),
            ] {
                // The second response comes from memory.
                for _ in 1...2 {
                    let response = try await move(fixture, path, to: destination, basic)
                    #expect(response.status == status, "\(path) to \(destination)")
                }
            }
            let open = try await move(fixture, "/dav/x", to: "/dav/y")
            #expect(open.headers["WWW-Authenticate"]?.hasPrefix("Basic ") == true)
            let closed = try await move(fixture, "/dav/x", to: "/photos")
            #expect(closed.headers["WWW-Authenticate"]?.hasPrefix("Bearer ") == true)
        }
    }

    @Test("RFC 8707 a token opens no destination outside the server that it was issued for")
    func audience() async throws {
        try await OAuthFixture.with { fixture in
            let request = fixture.parameters + [("resource", OAuthFixture.resource + "/files")]
            let bearer = GatewayFixture.bearer(try await fixture.tokens(request).access)
            for (path, destination, status) in [
                ("/files/x", "/files/y", 200), ("/files/x", "https://app.example.org/files", 200),
                ("/files/x", "/other", 401), ("/files/x", "/filesystem", 401), ("/other", "/files/x", 401),
                ("/files/x", "http://app.example.org/", 401),
            ] {
                let response = try await ask(
                    fixture.gateway, path, method: "MOVE", bearer + [("Destination", destination)])
                #expect(response.status == status, "\(path) to \(destination)")
            }
        }
    }

    @Test("What the rule for the destination requires in addition counts too")
    func requirements() async throws {
        func strong(_ settings: inout GatewaySettings) {
            settings.verify.rules.rules = [
                AccessDraft(paths: ["/strong/*"], requirement: AccessRequirement(level: .multiFactor)).rule("strong"),
                AccessDraft(paths: ["/fresh/*"], requirement: AccessRequirement(maximumAge: .seconds(300)))
                    .rule("fresh"),
            ]
        }
        try await with(change: strong) { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            for (path, destination, status) in [
                ("/photos", "/fresh/y", 200), ("/photos", "/strong/y", 401), ("/strong/x", "/photos", 401),
                ("/fresh/x", "/strong/y", 401), ("/photos", "/albums", 200),
            ] {
                let response = try await move(fixture, path, to: destination, token: token)
                #expect(response.status == status, "\(path) to \(destination)")
            }
        }
        let first = AccessRequirement(maximumAge: .seconds(60), scopes: ["a", "b"])
        let second = AccessRequirement(maximumAge: .seconds(30), level: .multiFactor, scopes: ["b", "c"])
        let both = AccessRequirement(maximumAge: .seconds(30), level: .multiFactor, scopes: ["a", "b", "c"])
        #expect(first.and(second) == both)
        #expect(first.and(AccessRequirement()) == first && AccessRequirement().and(second) == second)
    }
}
