import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Clients that register themselves.
@Suite("Client registration", .timeLimit(.minutes(20)))
struct ClientRegistrationTests {
    private static let secret = "an initial access token that nobody guesses"

    private static func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (OAuthFixture) async throws -> Void
    ) async throws {
        try await OAuthFixture.with(
            { settings in
                settings.authorizationServer.registration.isEnabled = true
                settings.requestRates.address = .perMinute(1_000_000)
                change(&settings)
            }, body)
    }

    private static let metadata: JSONValue = [
        "redirect_uris": [.string(OAuthFixture.appRedirect)], "client_name": "Self-made",
        "token_endpoint_auth_method": "none",
        "software_statement": "ignored", "logo_uri": 7,
    ]

    private static func register(
        _ fixture: OAuthFixture, _ metadata: JSONValue = metadata, headers: [(String, String)] = []
    ) async throws -> Exchange.Response {
        try await send("POST", "/oauth2/register", fixture, metadata, headers)
    }

    private static func register(_ fixture: OAuthFixture, from address: String) async throws -> Exchange.Response {
        try await register(fixture, headers: [("X-Forwarded-For", address)])
    }

    private static func send(
        _ method: String, _ path: String, _ fixture: OAuthFixture, _ body: JSONValue? = nil,
        _ headers: [(String, String)] = []
    ) async throws -> Exchange.Response {
        try await fixture.gateway.http.send(
            method, path, headers: headers + (body == nil ? [] : [("Content-Type", JSON.mediaType)]),
            body: body.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "")
    }

    private static func replacing(_ value: JSONValue, _ changes: [(String, JSONValue?)]) -> JSONValue {
        let names = Set(changes.map(\.0))
        let kept = (value.members ?? []).filter { !names.contains($0.name) }
        return .object(kept + changes.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
    }

    @Test("RFC 7591 §3 a client registers, and people are asked each time and told that nobody has checked it")
    func signIn() async throws {
        try await Self.with { fixture in
            let registered = try await Self.register(fixture)
            #expect(registered.status == 201 && registered.json?["client_secret"] == nil)
            let id = try #require(registered.json?["client_id"]?.string)
            #expect(registered.json?["client_name"] == "Self-made")
            #expect(registered.json?["grant_types"] == ["authorization_code", "refresh_token"])
            #expect(registered.json?["scope"] == "openid profile email groups offline_access", "it may ask for all")
            #expect(registered.json?["logo_uri"] == nil)

            _ = try await fixture.browser.signIn()
            let parameters = OAuthFixture.replacing(fixture.parameters, [("client_id", id)])
            for _ in 0..<2 {
                let page = try await fixture.open(parameters)
                #expect(page.status == 200 && page.text.contains("This app is unverified."))
                let code = try OAuthFixture.fields(of: try await fixture.decide(page))["code"]
                #expect(try await fixture.exchange(try #require(code), client: id).status == 200)
            }
            let silent = try await fixture.open(parameters + [("prompt", "none")])
            #expect(silent.status == 400 && silent.text.contains("error=consent_required"))
            let known = try await fixture.open(fixture.parameters)
            #expect(!known.text.contains("unverified"))
            let listed = try #require(try await fixture.gateway.gateway.stores.clients.client(id))
            #expect(listed.registration?.lastUsed == fixture.gateway.clock.now)
        }
    }

    @Test("a client that renames itself keeps the name that people allowed, and a code for the old name is void")
    func renamed() async throws {
        try await Self.with { fixture in
            let registered = try await Self.register(fixture)
            let id = try #require(registered.json?["client_id"]?.string)
            let own = GatewayFixture.bearer(try #require(registered.json?["registration_access_token"]?.string))
            let parameters = OAuthFixture.replacing(fixture.parameters, [("client_id", id)])
            func code() async throws -> String { try #require(try await fixture.respond(to: parameters)["code"]) }
            func appsSection() async throws -> String {
                let text = try await fixture.browser.get("/latch/account").text
                return String(try #require(text.components(separatedBy: "<h2 id=\"apps\">").last))
            }
            let (first, second) = (try await code(), try await code())
            #expect(try await fixture.exchange(first, client: id).status == 200)
            let before = try await appsSection()
            #expect(before.contains("<h3>Self-made <span class=\"badge plainly\">Unverified</span></h3>"))
            #expect(!before.contains("renamed"))

            let changed = Self.replacing(
                Self.metadata, [("client_id", .string(id)), ("client_name", "Our wiki")])
            #expect(try await Self.send("PUT", "/oauth2/register/" + id, fixture, changed, own).status == 200)
            let after = try await appsSection()
            #expect(after.contains("<h3>Self-made <span class=\"badge plainly\">Unverified</span></h3>"))
            #expect(after.contains("It has renamed itself to <strong>Our wiki</strong> since you allowed it."))
            let void = try await fixture.exchange(second, client: id)
            #expect(void.status == 400 && void.json?["error"] == "invalid_grant")
            let account = try await fixture.browser.get("/latch/account").text
            #expect(account.contains("Self-made (app)") && !account.contains("Our wiki (app)"))

            #expect(try await fixture.exchange(try await code(), client: id).status == 200)
            #expect(try await appsSection().contains("<h3>Our wiki <span"), "the person has seen this name")
        }
    }

    @Test("RFC 7591 §2 each method of authentication works as it was registered")
    func methods() async throws {
        try await Self.with { fixture in
            let web = Self.replacing(Self.metadata, [("redirect_uris", [.string(OAuthFixture.webRedirect)])])
            for method in [nil, "client_secret_basic", "client_secret_post"] as [JSONValue?] {
                let registered = try await Self.register(
                    fixture, Self.replacing(web, [("token_endpoint_auth_method", method)]))
                let secret = try #require(registered.json?["client_secret"]?.string)
                let id = try #require(registered.json?["client_id"]?.string)
                #expect(registered.json?["client_secret_expires_at"] == 0)
                #expect(registered.json?["token_endpoint_auth_method"] == method ?? "client_secret_basic")
                #expect(try await fixture.refresh("x", client: id).status == 401)
                let known = try await fixture.post(
                    "introspect", [("client_id", id), ("client_secret", secret), ("token", "x")])
                #expect(known.status == 200)
                #expect(!fixture.gateway.lines.text.contains(secret))
            }
            let signed = Self.replacing(web, [("token_endpoint_auth_method", "private_key_jwt")])
            #expect(try await Self.register(fixture, signed).json?["error"] == "invalid_client_metadata")
            let set: JSONValue = ["keys": [try SigningKey.generate(.es256).publicJSON]]
            let registered = try await Self.register(fixture, Self.replacing(signed, [("jwks", set)]))
            #expect(registered.status == 201 && registered.json?["client_secret"] == nil)
            #expect(registered.json?["jwks"]?["keys"]?.array?.count == 1)
            let id = try #require(registered.json?["client_id"]?.string)
            #expect(try await fixture.refresh("x", client: id).status == 401)
        }
    }

    @Test("a client with several addresses gets those that are valid, and is told about the others")
    func someRedirects() async throws {
        try await Self.with { fixture in
            let sent: [JSONValue] = [
                "cursor://anysphere.cursor-mcp/oauth/callback", "http://localhost:8787/callback",
                "http://192.0.2.1/callback", "https://a.example/callback",
            ]
            let answer = try await Self.register(
                fixture, Self.replacing(Self.metadata, [("redirect_uris", .array(sent))]))
            #expect(answer.status == 201 && answer.json?["redirect_uris"] == .array([sent[1], sent[3]]))
            let refused = try #require(answer.json?["refused_redirect_uris"]?.array)
            #expect(refused.map { $0["redirect_uri"] } == [sent[0], sent[2]])
            #expect(refused[0]["error_description"]?.string?.contains("the scheme of an app") == true)
        }
    }

    @Test("RFC 7591 §3.2.2 wrong metadata are refused with the member, and nothing is stored")
    func refused() async throws {
        try await Self.with { fixture in
            let addresses: [JSONValue?] = [
                nil, [], "com.example.app:/callback", [1], ["https://a.example/#fragment"], ["javascript:alert(1)"],
                ["http://a.example/callback"], ["https://user@a.example/"], ["https://a.example/ x"], ["/callback"],
                ["example:/callback"], ["a:/b"], ["https://*.a.example/"], ["https://a%2Eexample/"],
                ["https://a.example:0/"],
                [.string("https://a.example/" + String(repeating: "a", count: 1_024))],
                .array((0..<17).map { .string("https://a.example/\($0)") }),
            ]
            for redirects in addresses {
                let answer = try await Self.register(
                    fixture, Self.replacing(Self.metadata, [("redirect_uris", redirects)]))
                #expect(
                    answer.status == 400 && answer.json?["error"] == "invalid_redirect_uri", "\(redirects ?? .null)")
            }
            let wrong: [(String, JSONValue)] = [
                ("client_name", 1), ("client_name", ""), ("client_name", "a\u{202E}b"), ("client_name", "a\nb"),
                ("client_name", .string(String(repeating: "n", count: 81))), ("token_endpoint_auth_method", "other"),
                ("token_endpoint_auth_method", "client_secret_jwt"), ("token_endpoint_auth_method", 1),
                ("grant_types", ["implicit"]), ("grant_types", "authorization_code"), ("grant_types", [1]),
                ("response_types", ["token"]),
            ]
            for (name, value) in wrong {
                let answer = try await Self.register(fixture, Self.replacing(Self.metadata, [(name, value)]))
                #expect(answer.status == 400 && answer.json?["error"] == "invalid_client_metadata", "\(name) \(value)")
            }
            for body in ["", "[]", "{", "null", "redirect_uris=x"] {
                let answer = try await fixture.gateway.http.send(
                    "POST", "/oauth2/register", headers: [("Content-Type", JSON.mediaType)], body: body)
                #expect(answer.status == 400, "\(body)")
            }
            let form = try await fixture.post("register", [("redirect_uris", OAuthFixture.appRedirect)])
            #expect(form.status == 415)
            #expect(try await fixture.gateway.gateway.stores.clients.list().count == 2)
        }
    }

    @Test("RFC 7592 a client reads, replaces and removes its registration, and nobody else does")
    func management() async throws {
        try await Self.with { fixture in
            let (first, second) = (try await Self.register(fixture), try await Self.register(fixture))
            let id = try #require(first.json?["client_id"]?.string)
            let token = try #require(first.json?["registration_access_token"]?.string)
            let address = try #require(first.json?["registration_client_uri"]?.string)
            let path = String(address.dropFirst(OAuthFixture.issuer.count))
            #expect(path == "/oauth2/register/" + id)
            let own = GatewayFixture.bearer(token)
            let other = GatewayFixture.bearer(try #require(second.json?["registration_access_token"]?.string))
            #expect(try await Self.send("GET", path, fixture, nil, own).json == first.json)
            for method in ["GET", "PUT", "DELETE"] {
                for headers in [[], other, GatewayFixture.bearer("x"), GatewayFixture.bearer(id)] {
                    let body: JSONValue? =
                        method == "PUT" ? Self.replacing(Self.metadata, [("client_id", .string(id))]) : nil
                    let answer = try await Self.send(method, path, fixture, body, headers)
                    #expect(answer.status == 401 && answer.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
                }
                for path in ["/oauth2/register/app", "/oauth2/register/nobody"] {
                    #expect(try await Self.send(method, path, fixture, method == "PUT" ? [:] : nil, own).status == 401)
                }
            }
            let tokens = try OAuthTokens(
                try await fixture.exchange(
                    try #require(
                        try await fixture.respond(
                            to: OAuthFixture.replacing(fixture.parameters, [("client_id", id)]))["code"]), client: id))

            let changed = Self.replacing(
                Self.metadata,
                [
                    ("client_id", .string(id)), ("client_name", "Renamed"),
                    ("token_endpoint_auth_method", "client_secret_basic"),
                ])
            for wrong in [
                Self.replacing(changed, [("client_id", nil)]), Self.replacing(changed, [("client_id", "app")]),
                Self.replacing(changed, [("client_secret", "guessed")]),
                Self.replacing(changed, [("redirect_uris", [])]),
            ] {
                #expect(try await Self.send("PUT", path, fixture, wrong, own).status == 400)
            }
            let answer = try await Self.send("PUT", path, fixture, changed, own)
            let secret = try #require(answer.json?["client_secret"]?.string)
            #expect(answer.status == 200 && answer.json?["client_name"] == "Renamed")
            #expect(try await fixture.refresh(tokens.refresh, client: id).status == 401, "it has a secret now")
            let again = try await Self.send("PUT", path, fixture, changed, own)
            #expect(again.status == 200 && again.json?["client_secret"] == nil)
            let refreshed = try await fixture.post(
                "token",
                [
                    ("grant_type", "refresh_token"), ("refresh_token", tokens.refresh), ("client_id", id),
                    ("client_secret", secret),
                ])
            #expect(refreshed.status == 200)

            #expect(try await Self.send("DELETE", path, fixture, nil, own).status == 204)
            #expect(try await Self.send("GET", path, fixture, nil, own).status == 401)
            #expect(try await fixture.userInfo(try OAuthTokens(refreshed).access).status == 401)
        }
    }

    @Test("a thousand registrations displace neither a used client nor one whose sign-in may be in progress")
    func flood() async throws {
        try await Self.with({ $0.authorizationServer.registration.maximum = 40 }) { fixture in
            let clients = fixture.gateway.gateway.stores.clients
            // Each from another address.
            var number = 0
            func register() async throws -> Exchange.Response {
                number += 1
                return try await Self.register(fixture, from: "198.18.\(number / 250).\(number % 250)")
            }
            let used = try #require(try await register().json?["client_id"]?.string)
            let code = try await fixture.respond(to: OAuthFixture.replacing(fixture.parameters, [("client_id", used)]))
            _ = try OAuthTokens(try await fixture.exchange(try #require(code["code"]), client: used))
            let waiting = try #require(try await register().json?["client_id"]?.string)

            fixture.gateway.clock.advance(1)
            var statuses: [Int: Int] = [:]
            for _ in 0..<1_000 { statuses[try await register().status, default: 0] += 1 }
            #expect(statuses == [201: 9, 503: 991])
            #expect(try await clients.client(waiting) != nil)
            fixture.gateway.clock.advance(601)
            #expect(try await register().status == 201)
            let (oldest, kept) = (try await clients.client(waiting), try await clients.client(used))
            #expect(oldest == nil && kept != nil)
            #expect(try await clients.list().count == 13)

            _ = try await clients.add(name: "Added", redirects: ["a:/b"], isConfidential: false)
            fixture.gateway.clock.advance(86_401)
            await fixture.gateway.gateway.purge()
            #expect(try await clients.list().map(\.id).contains(used))
            #expect(try await clients.list().count == 4)
            fixture.gateway.clock.advance(90 * 86_400)
            await fixture.gateway.gateway.purge()
            #expect(try await clients.list().count == 3)
        }
    }

    @Test("RFC 7591 §5 one address, and one network of IPv6 addresses, cannot keep others from registering")
    func floodFromOneAddress() async throws {
        try await Self.with({ $0.authorizationServer.registration.maximum = 320 }) { fixture in
            func register(_ address: String) async throws -> Int {
                try await Self.register(fixture, from: address).status
            }
            // A quarter of the maximum may be unused, and an eighth of that from one address.
            for number in 0..<20 {
                let status = try await register("2001:db8:1:2::\(number)")
                #expect(status == (number < 10 ? 201 : 503), "\(number)")
            }
            for address in ["2001:db8:1:3::1", "192.0.2.1"] { #expect(try await register(address) == 201) }
            let clients = fixture.gateway.gateway.stores.clients
            let others = try await clients.list().filter { $0.registration != nil }.map(\.id)
            fixture.gateway.clock.advance(601)
            #expect(try await register("2001:db8:1:2::ffff") == 201)
            let left = try await clients.list().map(\.id)
            #expect(others.count { !left.contains($0) } == 1, "it displaces one from its own network")
            for _ in 0..<9 { #expect(try await register("2001:db8:1:2::ffff") == 201) }
            #expect(try await register("2001:db8:1:2::ffff") == 503)
            #expect(try await clients.list().count { $0.registration != nil } == 12)
        }
    }

    @Test("RFC 7591 §2 a client for devices registers without a redirect address, and people are told about it")
    func device() async throws {
        try await Self.with { fixture in
            let metadata = Self.replacing(
                Self.metadata,
                [
                    ("redirect_uris", nil), ("response_types", []),
                    ("grant_types", [.string(OAuthFixture.deviceGrant), "refresh_token"]),
                ])
            let registered = try await Self.register(fixture, metadata)
            #expect(registered.status == 201 && registered.json?["redirect_uris"] == nil)
            #expect(registered.json?["grant_types"] == ["refresh_token", .string(OAuthFixture.deviceGrant)])
            #expect(registered.json?["response_types"] == [])
            let id = try #require(registered.json?["client_id"]?.string)
            let codes = try await fixture.codes([("client_id", id)])
            let page = try await fixture.enter(codes.userCode)
            #expect(page.text.contains("Self-made") && page.text.contains("This app is unverified."))
            _ = try await fixture.decide(onDevice: codes.userCode)
            _ = try OAuthTokens(try await fixture.poll(codes, [("client_id", id)]))
            let browser = OAuthFixture.replacing(fixture.parameters, [("client_id", id)])
            #expect(try await fixture.open(browser).status == 400, "it has no address")

            let token = GatewayFixture.bearer(try #require(registered.json?["registration_access_token"]?.string))
            let changed = Self.replacing(Self.metadata, [("client_id", .string(id))])
            let path = "/oauth2/register/" + id
            #expect(try await Self.send("PUT", path, fixture, changed, token).status == 200)
            #expect(try await fixture.begin([("client_id", id)]).json?["error"] == "unauthorized_client")
        }
    }

    @Test("is off by default, limited by address, and may need an initial access token")
    func access() async throws {
        try await OAuthFixture.with { fixture in
            #expect(try await Self.register(fixture).status == 404)
            let metadata = try await fixture.gateway.http.send("GET", "/.well-known/openid-configuration")
            #expect(metadata.status == 200 && metadata.json?["registration_endpoint"] == nil)
        }
        try await Self.with({
            $0.authorizationServer.registration.secret = Secret(Self.secret.replacing(" ", with: "-"))
        }) { fixture in
            let metadata = try await fixture.gateway.http.send("GET", "/.well-known/openid-configuration")
            #expect(metadata.json?["registration_endpoint"] == .string(OAuthFixture.issuer + "/oauth2/register"))
            #expect(try await Self.register(fixture).status == 401)
            #expect(try await Self.register(fixture, headers: GatewayFixture.bearer("wrong")).status == 401)
            #expect(
                try await Self.register(fixture, headers: GatewayFixture.bearer(Self.secret.replacing(" ", with: "-")))
                    .status == 201)
        }
        try await Self.with({ $0.requestRates.address = .perMinute(3) }) { fixture in
            var last = 0
            for _ in 0..<8 where last != 429 { last = try await Self.register(fixture).status }
            #expect(last == 429)
        }
    }
}
