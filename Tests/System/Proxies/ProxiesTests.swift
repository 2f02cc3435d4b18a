import Crypto
import Foundation
import HTTPMessages
import OpenIDConnect
import TestSupport
import Testing

/// Real proxies, each by the files that operators get, before a backend that knows nothing of sign-in.
@Suite("Behind a proxy with forward authentication", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct ProxiesTests {
    @Test(
        "a person with a token or cookie has access, and the backend gets the identity without the token",
        arguments: ProxyKind.allCases)
    func signedIn(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            let ways = [
                ["Authorization: Bearer \(token)"], ["authorization: bEARER \(token)", "Cookie: a=b"],
                ["Cookie: a=b; __Host-latchd_session=\(token); c=d"], ["Cookie: __Host-latchd_session=\(token)"],
            ]
            for way in ways {
                let response = try await fixture.ask("/photos?a=1", way)
                let view = try #require(BackendView(response), "\(response)")
                #expect(view.path == "/photos?a=1")
                #expect(view.values(like: "x-auth-email") == [SystemFixture.email])
                #expect(view.values(like: "x-auth-user").map(\.utf8.count) == [36])
                #expect(view.values(like: "x-auth-session").map(\.utf8.count) == [12])
                #expect(!view.fields.contains { $0.leaks(token) }, "\(view.fields)")
                #expect(!way[0].contains("a=b") || view.values(like: "cookie").first?.contains("a=b") == true)
            }
            // White space that only some programs remove.
            for way in ["Authorization: \tBearer \(token)", "Cookie: \t__Host-latchd_session=\(token)"] {
                let response = try await fixture.ask("/photos", [way])
                #expect(!(BackendView(response)?.fields.contains { $0.leaks(token) } ?? false), "\(response)")
            }
            // What is meant for the backend reaches it.
            let own = try await fixture.ask(
                "/", ["Authorization: Basic eDp5", "Cookie: __Host-latchd_session=\(token); own=1"])
            let view = try #require(BackendView(own))
            #expect(view.values(like: "authorization") == ["Basic eDp5"])
            #expect(view.values(like: "cookie") == ["own=1"])
        }
    }

    @Test(
        "RFC 9449 a bound token has access with a proof for the client's own address only, each once, also where nginx caches",
        arguments: ProxyKind.allCases)
    func boundToken(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let key = try DPoPKey()
            let (token, nonce) = try await fixture.boundToken(key)
            let text = token.reveal()
            let scheme = "Authorization: DPoP \(text)"
            func proof(_ path: String, nonce: String?, host: String = "app.example.org") throws -> String {
                let address = "http://\(host)\(path)"
                return "DPoP: "
                    + (try key.proof(method: "GET", address: address, token: token, nonce: nonce, at: Date()))
            }
            for _ in 1...2 {
                let valid = try proof("/photos", nonce: nonce)
                let response = try await fixture.ask("/photos?a=1", [scheme, valid])
                let view = try #require(BackendView(response), "\(response)")
                #expect(view.values(like: "x-auth-email") == [SystemFixture.email])
                #expect(!view.fields.contains { $0.leaks(text) }, "\(view.fields)")
                #expect(try await fixture.ask("/photos?a=1", [scheme, valid]).status == 401)
            }
            for fields in [
                [scheme], ["Authorization: Bearer \(text)"], [scheme, try proof("/other", nonce: nonce)],
                [scheme, try proof("/photos", nonce: nonce, host: "id.example.org")],
                ["Authorization: Bearer \(text)", try proof("/photos", nonce: nonce)],
            ] {
                #expect(try await fixture.ask("/photos", fields).status == 401, "\(fields)")
            }
            let asked = try await fixture.ask("/photos", [scheme, try proof("/photos", nonce: nil)])
            #expect(asked.status == 401 && asked["dpop-nonce"]?.isEmpty == false)
            #expect(asked["www-authenticate"]?.contains("use_dpop_nonce") == true)
        }
    }

    @Test("W3C Trace Context: the backend gets the trace of the client", arguments: ProxyKind.allCases)
    func trace(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            let response = try await fixture.ask(
                "/photos",
                ["Authorization: Bearer \(try await fixture.token())", "traceparent: \(parent)", "tracestate: rojo=1"])
            let view = try #require(BackendView(response), "\(response)")
            let passed = try #require(view.values(like: "traceparent").first)
            #expect(view.values(like: "traceparent").count == 1)
            #expect(TraceContext(parent: passed)?.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
            // nginx passes on the gateway's span, by the lines of docs/operations.md.
            #expect((passed == parent) == (kind != .nginx))
            #expect(view.values(like: "tracestate") == ["rojo=1"])
        }
    }

    @Test(
        "no backend gets an unverified address, nor a field that the client sends instead",
        arguments: ProxyKind.allCases)
    func unverifiedAddress(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            try await fixture.register("boss@corp.example", SystemFixture.password)
            let bearer = "Authorization: Bearer \(try await fixture.token("boss@corp.example", SystemFixture.password))"
            for forged in [[], ["X-Auth-Email: boss@corp.example", "X_Auth_Email: boss@corp.example"]] {
                let response = try await fixture.ask("/photos", [bearer] + forged)
                let view = try #require(BackendView(response), "\(response)")
                #expect(view.values(like: "x-auth-user").map(\.utf8.count) == [36])
                #expect(!view.fields.contains { $0.contains("boss") }, "\(view.fields)")
            }
        }
    }

    @Test(
        "a program with only Basic can use a key where a rule allows it, and the backend does not get the key",
        arguments: ProxyKind.allCases)
    func basicKeys(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            func basic(_ password: String) -> String {
                "Authorization: Basic " + Data("\(SystemFixture.email):\(password)".utf8).base64EncodedString()
            }
            let key = try await fixture.key(try await fixture.token())
            let bare = try await fixture.ask("/dav/calendar", method: "PROPFIND")
            #expect(bare.status == 401)
            #expect(bare["www-authenticate"]?.hasPrefix("Basic ") == true)
            let response = try await fixture.ask("/dav/calendar", method: "PROPFIND", [basic(key)])
            let view = try #require(BackendView(response), "\(response)")
            #expect(view.values(like: "x-auth-email") == [SystemFixture.email])
            #expect(view.values(like: "authorization").isEmpty)
            #expect(view.values(like: "x-auth-credential").isEmpty)
            #expect(BackendView(try await fixture.ask("/dav/calendar", [basic(SystemFixture.password)])) == nil)
            #expect(BackendView(try await fixture.ask("/photos", [basic(key)])) == nil)
            // Nor at an address that needs no key, nor when a cookie decides.
            let cookie = "Cookie: __Host-latchd_session=\(try await fixture.token())"
            let wrong = String(repeating: "A", count: 43) + "="
            for (path, fields) in [("/health", []), ("/health", [cookie]), ("/photos", [cookie]), ("/dav/x", [cookie])]
            {
                for password in [key, wrong] {
                    for _ in 1...2 {
                        let response = try await fixture.ask(path, fields + [basic(password)])
                        let view = try #require(BackendView(response), "\(path): \(response)")
                        #expect(view.values(like: "authorization").isEmpty, "\(path)")
                        #expect(view.values(like: "x-auth-credential").isEmpty, "\(path)")
                    }
                }
            }
        }
    }

    @Test(
        "identity fields of other proxies are removed from requests; latchd may set one for a backend",
        arguments: ProxyKind.allCases)
    func otherFields(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let names = [
                "X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Groups", "X-Forwarded-Preferred-Username",
                "Remote-User", "Remote-Email", "Remote-Groups", "Remote-Name", "X-Remote-User", "X-WEBAUTH-USER",
                "X-WEBAUTH-EMAIL", "X-WEBAUTH-NAME", "X-WEBAUTH-GROUPS",
            ]
            let spellings = names.flatMap { [$0, $0.lowercased(), $0.replacing("-", with: "_")] }
            let token = try await fixture.token()
            for (path, more) in [("/health", []), ("/photos", ["Authorization: Bearer \(token)"])] {
                for name in spellings {
                    let response = try await fixture.ask(path, more + ["\(name): root"])
                    let view = try #require(BackendView(response), "\(name): \(response)")
                    #expect(!view.fields.contains { $0.contains("root") }, "\(name): \(view.fields)")
                    // The documented line for a backend that reads this field.
                    #expect(view.values(like: "x-remote-user") == view.values(like: "x-auth-user"))
                    #expect(view.values(like: "x-auth-user").count == (more.isEmpty ? 0 : 1))
                }
            }
        }
    }

    @Test("RFC 9728 a refused app discovers the sign-in from any protected address", arguments: ProxyKind.allCases)
    func metadata(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            for fields in [[], ["Authorization: Bearer \(String(repeating: "x", count: 43))"]] {
                let refused = try await fixture.ask("/photos/1", fields)
                #expect(refused.status == 401)
                let challenges = refused.fields.filter { $0.lowercased().hasPrefix("www-authenticate:") }
                #expect(challenges.count == 1)
                let challenge = try #require(refused["www-authenticate"])
                #expect(challenge.hasPrefix("Bearer "))
                #expect(challenge.contains("invalid_token") == !fields.isEmpty)
                let address = try #require(challenge.split(separator: "resource_metadata=\"").last?.dropLast())
                #expect(address.hasPrefix("http://app.example.org/"))
                let metadata = try await fixture.ask(String(address.dropFirst("http://app.example.org".count)))
                let json = try JSONValue(parsing: metadata.body)
                #expect(json["resource"]?.string == "http://app.example.org/photos/1")
                #expect(
                    json["latchd_server"]?.string == "https://id.example.org/api")
            }
        }
    }

    @Test(
        "a browser that is not signed in is redirected to the sign-in page with a return address",
        arguments: ProxyKind.allCases)
    func browser(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let sent = try await fixture.ask("/photos?a=1", ProxyFixture.navigation)
            #expect(sent.status == 302)
            #expect(sent["location"] == "http://app.example.org/latch/sign-in?return=%2Fphotos%3Fa%3D1")
        }
    }

    @Test(
        "a browser signs in on the page behind the proxy and is redirected to the previous page",
        arguments: ProxyKind.allCases)
    func returnsAfterSignIn(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let sent = try await fixture.ask("/photos?a=1", ProxyFixture.navigation)
            let path = try #require(sent["location"]).replacing("http://app.example.org", with: "")
            let form = try await fixture.ask(path, ProxyFixture.navigation)
            #expect(form.status == 200)
            let token = try #require(
                form.text.split(separator: "name=\"form_token\" value=\"").last?.prefix { $0 != "\"" })
            let fields = [
                ("form_token", String(token)), ("return", "/photos?a=1"), ("username", SystemFixture.email),
                ("password", SystemFixture.password),
            ]
            let body = FormURLEncoded.encode(fields)

            let done = try await fixture.ask(
                "/latch/sign-in", method: "POST",
                [
                    "Cookie: \(Self.cookies(of: form))", "Content-Type: \(FormURLEncoded.mediaType)",
                    "Content-Length: \(body.utf8.count)", "Sec-Fetch-Site: same-origin",
                ], body: body)

            #expect(done.status == 200 && FormBrowser.next(of: done.text) == "/photos?a=1")
            let back = try await fixture.ask(
                "/photos?a=1", ProxyFixture.navigation + ["Cookie: \(Self.cookies(of: done))"])
            #expect(BackendView(back)?.values(like: "x-auth-email") == [SystemFixture.email])
        }
    }

    @Test(
        "a backend's script can load neither the person's pages nor their forms on its own host",
        arguments: ProxyKind.allCases)
    func pagesElsewhere(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let signedIn = [
                "Cookie: __Host-latchd_session=\(try await fixture.token())", "Sec-Fetch-Site: same-origin",
            ]
            for claim in [[], ["X-Forwarded-Host: id.example.org"], ["Forwarded: host=id.example.org"]] {
                let page = try await fixture.ask("/latch/account", signedIn + claim)
                #expect(page.status == 303 || page.status == 421, "\(claim): \(page.status)")
                #expect(!page.text.contains(SystemFixture.email) && !page.text.contains("form_token"))
                if claim.isEmpty { #expect(page["location"] == "https://id.example.org/latch/account") }
                let form = try await fixture.ask(
                    "/latch/account/devices/end-others", method: "POST",
                    signedIn + claim + ["Content-Length: 0"])
                #expect(form.status == 403)
            }
        }
    }

    /// What a browser would send of an answer's cookies.
    static func cookies(of response: RawResponse) -> String {
        response.fields.filter { $0.lowercased().hasPrefix("set-cookie:") }.compactMap { line in
            line.dropFirst("set-cookie:".count).split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.hasSuffix("=") }.joined(separator: "; ")
    }

    @Test(
        "the rules apply: public addresses are open, and others require the group",
        arguments: ProxyKind.allCases)
    func rules(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            #expect(BackendView(try await fixture.ask("/health")) != nil)
            #expect(BackendView(try await fixture.ask("/share/a", method: "POST", ["Content-Length: 0"])) != nil)
            let admin = try await fixture.ask("/admin/x", ["Authorization: Bearer \(token)"])
            #expect(admin.status == 403)
            if kind == .nginx { #expect(admin.text.contains("The request was refused")) }
            #expect(try await fixture.ask("/admin/x").status == 401)
            #expect(try await fixture.ask("/", method: "PUT", ["Content-Length: 0"]).status == 401)
        }
    }

    @Test("a session that is revoked is refused at once", arguments: ProxyKind.allCases)
    func revoked(kind: ProxyKind) async throws {
        try await ProxyFixture.with(kind) { fixture in
            let token = try await fixture.token()
            let bearer = ["Authorization: Bearer \(token)"]
            #expect(try await fixture.ask("/", bearer).status == 200)
            let ended = try await fixture.signOut(token)
            #expect(ended == 200 || ended == 204)
            if kind == .cachingNginx { try await fixture.untilRefused("/", bearer) }
            #expect(try await fixture.ask("/", bearer).status == 401)
            #expect(try await fixture.ask("/", ["Cookie: __Host-latchd_session=\(token)"]).status == 401)
        }
    }
}
