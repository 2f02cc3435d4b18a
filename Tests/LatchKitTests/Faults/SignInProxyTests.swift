import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

/// Whose 401: what products in front of a server answer for it, as their users see it.
@Suite(.timeLimit(.minutes(20))) struct SignInProxyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// What the person is told, beside the server's address; nothing where the answer could be anybody's.
        var says: [String] = []
        let status: Int
        var headers: HTTPHeaders = [:]
        var body = ""
        var testDescription: String { name }
        var response: ScriptedServer.Response { .init(status: status, headers: headers, body: body) }
    }

    private static func page(_ more: HTTPHeaders) -> HTTPHeaders {
        var all: HTTPHeaders = ["Content-Type": "text/html; charset=utf-8"]
        for field in more { all.append(field.name, field.value) }
        return all
    }
    private static let portal = "https://auth.example.com/?rd=https%3A%2F%2Fhome.example.org%2Fapi%2Fme&rm=GET"

    static let cases: [Case] = front + cloudflare + portals

    private static let front: [Case] = [
        Case(
            name: "Authelia, 302 to its portal", says: ["Authelia", "'auth.example.com'", "extra header field"],
            status: 302,
            headers: page(["Location": portal]), body: #"<a href="\#(portal)">302 Found</a>"#),
        Case(
            name: "Authelia, 401 with its portal", says: ["Authelia", "extra header field"], status: 401,
            headers: page(["Location": portal]), body: #"<a href="\#(portal)">401 Unauthorized</a>"#),
        Case(
            name: "Authelia before 4.38 by nginx", says: ["Authelia", "'auth.example.com'"], status: 302,
            headers: page(["Location": "https://auth.example.com/?rd=https://home.example.org/api/me"])),
        Case(
            name: "Authelia, 401 that asks for Basic", says: ["(Basic)", "extra header field"], status: 401,
            headers: [
                "Content-Type": "text/plain", "WWW-Authenticate": #"Basic realm="Authorization Required""#,
            ], body: "401 Unauthorized"),
        Case(
            name: "authentik, 302 to its outpost", says: ["authentik", "extra header field"], status: 302,
            headers: page(["Location": "/outpost.goauthentik.io/start?rd=/api/me"])),
        Case(
            name: "authentik, 302 to its provider", says: ["authentik", "'id.example.com'"], status: 302,
            headers: page([
                "Location": "https://id.example.com/application/o/authorize/?client_id=x&response_type=code",
                "Set-Cookie": "authentik_proxy_1f2e=abc; Path=/; HttpOnly",
            ])),
        Case(
            name: "authentik, 401 of its own", says: ["authentik", "own sign-in"], status: 401,
            headers: ["X-Powered-By": "authentik"]),
        Case(
            name: "oauth2-proxy, 401 for programs", status: 401, headers: ["Content-Type": "application/json"],
            body: "{}"),
        Case(
            name: "oauth2-proxy before 7.5, 401 for programs", status: 401,
            headers: ["Content-Type": "application/json"]),
        Case(
            name: "oauth2-proxy, its page of sign-in", says: ["OAuth2 Proxy", "let its API through"],
            status: 403, headers: page([:]),
            body: #"""
                <!DOCTYPE html><html><body><footer>Secured with \#
                <a href="https://github.com/oauth2-proxy/oauth2-proxy#oauth2_proxy">OAuth2 Proxy</a></footer>
                """#),
        Case(
            name: "oauth2-proxy, 302 to the provider", says: ["OAuth2 Proxy", "'id.example.com'"], status: 302,
            headers: page([
                "Location": "https://id.example.com/authorize?client_id=x",
                "Set-Cookie": "_oauth2_proxy_csrf=abc; Path=/; HttpOnly",
            ])),
        Case(
            name: "oauth2-proxy by nginx", says: ["OAuth2 Proxy"], status: 302,
            headers: page(["Location": "/oauth2/start?rd=%2Fapi%2Fme"])),
        Case(
            name: "nginx, 401 of its auth_request", says: ["the response is a web page"], status: 401,
            headers: page([:]),
            body: "<html>\r\n<head><title>401 Authorization Required</title></head>\r\n<body>"),
    ]

    private static let cloudflare: [Case] = [
        Case(
            name: "Cloudflare Access, 302 to its team",
            says: [
                "Cloudflare Access", "'home.cloudflareaccess.com'", "service token", "extra header field",
            ], status: 302,
            headers: [
                "Location": "https://home.cloudflareaccess.com/cdn-cgi/access/login/home.example.org?kid=1&meta=x",
                "WWW-Authenticate": "Cloudflare-Access", "Server": "cloudflare", "CF-RAY": "9a-FRA",
            ]),
        Case(
            name: "Cloudflare Access, 403 for a wrong service token",
            says: ["Cloudflare Access", "CF-Access-Client-Id"],
            status: 403, headers: page(["Server": "cloudflare", "CF-RAY": "9a-FRA"]),
            body: "<!DOCTYPE html><html><head><title>Forbidden ・ Cloudflare Access</title></head>"),
        Case(
            name: "Cloudflare Access, 401 with metadata", says: ["Cloudflare Access"], status: 401,
            headers: [
                "WWW-Authenticate":
                    #"Cloudflare-Access resource_metadata="https://h.example.org/.well-known/cloudflare-access""#,
                "Content-Type": "application/json", "CF-RAY": "9a-FRA",
            ], body: #"{"error":"unauthorized"}"#),
        Case(
            name: "Cloudflare's challenge", says: ["Cloudflare", "a browser", "operator"], status: 403,
            headers: page(["cf-mitigated": "challenge", "CF-RAY": "9a-FRA", "Server": "cloudflare"]),
            body: "<!DOCTYPE html><html><head><title>Just a moment...</title></head>"),
        Case(
            name: "Cloudflare's challenge as it was, 503", says: ["Cloudflare", "a browser"], status: 503,
            headers: page(["cf-mitigated": "challenge", "CF-RAY": "9a-FRA"]), body: "<!DOCTYPE html>"),
    ]

    private static let portals: [Case] = [
        Case(
            name: "a captive portal, 511", says: ["captive portal", "browser"], status: 511, headers: page([:]),
            body: "<html><head><meta http-equiv=refresh content='0; url=https://login.example.net/'></head></html>"),
        Case(
            name: "a captive portal, 302", says: ["captive portal", "'login.example.net'"], status: 302,
            headers: ["Location": "http://login.example.net/hotspot"]),
        Case(
            name: "a captive portal by CoovaChilli", says: ["captive portal"], status: 302,
            headers: ["Location": "http://10.1.0.1:3990/prelogin?res=notyet&uamip=10.1.0.1&uamport=3990"]),
        Case(
            name: "a captive portal with WISPr", says: ["captive portal"], status: 200, headers: page([:]),
            body: "<HTML><!--<?xml version=\"1.0\"?><WISPAccessGatewayParam></WISPAccessGatewayParam>--></HTML>"),
        Case(
            name: "a captive portal's page, 200", says: ["the response is a web page", "captive portal"], status: 200,
            headers: page([:]), body: "<!doctype html><title>Welcome to the hotel</title>"),
    ]

    @Test(
        "the response of a sign-in proxy or portal ends no session, and the error names it (invariant 4)",
        arguments: Family.all)
    func keepsSession(_ family: Family) async throws {
        let fixture = try await family.make()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        for proxy in Self.cases { try await expectSessionKept(fixture, account, proxy) }
        await fixture.stop()
    }

    private func expectSessionKept(_ fixture: FamilyFixture, _ account: Account, _ proxy: Case) async throws {
        let latch = try await fixture.home.open()
        let session = try latch.session(for: account)
        fixture.wire.script { _ in proxy.response }

        #expect(await session.restore().isSignedIn, "\(proxy.name)")
        for call in ["who is signed in", "a call"] {
            let error = try await #require(throws: LatchError.self, "\(proxy.name)") {
                if call == "a call" {
                    _ = try await session.client.send(session.dialect.identity)
                } else {
                    _ = try await session.identity()
                }
            }
            let comment = Comment(rawValue: "\(proxy.name), \(call): \(error.code): \(error)")
            #expect(error.code == .interceptedResponse, comment)
            #expect(proxy.says.allSatisfy { error.message.contains($0) }, comment)
            #expect(
                error.message.contains(fixture.door.authority) && error.message.hasSuffix("You stay signed in."),
                comment)
        }
        fixture.home.clock.advance(by: 3_600)
        _ = try await session.validToken()
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true, "\(proxy.name)")
        #expect(try await latch.accounts.secrets.read(AccountStore.tokenKey(account.id)) != nil, "\(proxy.name)")

        fixture.wire.script(fixture.rules)
        #expect(try await session.identity().email == "ada@example.org", "\(proxy.name)")
        await latch.close()
    }

    @Test(
        "a sign-in proxy or portal during a sign-in is named in the error, and no account is created",
        arguments: Family.all)
    func signIn(_ family: Family) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open()
        let server = try await fixture.find(latch, .init())
        for proxy in Self.cases where !proxy.says.isEmpty {
            // A browser gets past the proxy, the program that comes after it does not.
            let intrude: @Sendable () -> Void = { fixture.wire.script { _ in proxy.response } }
            if family.usesBrowser { fixture.wire.script(fixture.rules) } else { intrude() }
            let error = try await #require(throws: LatchError.self, "\(proxy.name)") {
                try await fixture.begin(latch, server, intrude)
            }
            let comment = Comment(rawValue: "\(proxy.name): \(error.code): \(error)")
            #expect(error.code == .interceptedResponse, comment)
            #expect(proxy.says.allSatisfy { error.message.contains($0) }, comment)
            #expect(try await latch.accounts.rowIDs().isEmpty, comment)

            let report = try await latch.probe(fixture.address, connection: .init(proxy: ""))
            let failure = try #require(report.failure, comment)
            #expect(
                failure.code == .interceptedResponse && proxy.says.allSatisfy { failure.message.contains($0) }, comment)
        }
        await latch.close()
        await fixture.stop()
    }
}
