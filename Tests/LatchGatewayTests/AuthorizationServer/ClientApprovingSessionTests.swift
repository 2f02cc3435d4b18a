import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import OAuth
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// What a session needs so that its person can sign in devices and clients with it, and what becomes of these.
@Suite("Sessions in which devices and clients are allowed", .timeLimit(.minutes(20)))
struct ClientApprovingSessionTests {
    private static let dialects = ["onyx", "immich", "timetracker", "relate-mail", "latchd"]
    private static let selfRedirect = "https://self.example.org/callback"

    /// A gateway with every dialect, devices and a client that registered itself, and Ada in the browser.
    private static func with(_ body: (OAuthFixture) async throws -> Void) async throws {
        try await OAuthFixture.withDialectDevices { fixture in
            let client = RegisteredClient(
                id: "self", name: "Self-made", secretHash: nil, redirects: [selfRedirect],
                registration: ClientRegistration(tokenHash: SHA256.digest("token"), method: .none))
            try await fixture.gateway.gateway.stores.clients.register(client, from: AddressKey(nil), maximum: 100)
            _ = try await fixture.browser.signIn()
            try await body(fixture)
        }
    }

    /// What a device asks with: its client, or the dialect of the client `latch`.
    private static func fields(_ device: String) -> [(String, String?)] {
        device == "tv" ? [] : [("client_id", "latch"), ("dialect", device), ("scope", nil)]
    }

    private static func poll(
        _ codes: DeviceAuthorizationResponse, of device: String, _ fixture: OAuthFixture
    ) async throws -> Exchange.Response {
        try await fixture.poll(codes, device == "tv" ? [] : [("client_id", "latch")])
    }

    /// Signs in again where a page has led to.
    private static func signInAgain(_ response: Exchange.Response, _ fixture: OAuthFixture) async throws -> String {
        #expect(response.status == 303 && response.next?.contains("again=1") == true)
        let done = try await fixture.browser.submit(
            "/latch/sign-in", on: try response.next.orThrow, [("password", GatewayFixture.password)])
        return try done.next.orThrow
    }

    @Test("RFC 8628 §5.4 a person allows a device only with a recent sign-in", arguments: dialects + ["tv"])
    func devices(_ device: String) async throws {
        try await Self.with { fixture in
            fixture.gateway.clock.advance(599)
            let (early, codes) = (
                try await fixture.codes(Self.fields(device)), try await fixture.codes(Self.fields(device))
            )
            #expect(try await fixture.enter(early.userCode).text.contains(early.userCode))
            fixture.gateway.clock.advance(1)
            let next = try await Self.signInAgain(try await fixture.enter(codes.userCode), fixture)
            #expect(next.hasSuffix("?user_code=\(codes.userCode)"))
            _ = try await fixture.decide(onDevice: codes.userCode)
            #expect(try await Self.poll(codes, of: device, fixture).status == 200)
        }
    }

    @Test(
        "a client that registered itself, or with an address of any program, is allowed with a recent sign-in",
        arguments: ["self", "app", "loopback", "web"])
    func clients(_ name: String) async throws {
        try await Self.with { fixture in
            let parameters =
                switch name {
                case "self":
                    OAuthFixture.replacing(
                        fixture.parameters, [("client_id", "self"), ("redirect_uri", Self.selfRedirect)])
                case "loopback":
                    OAuthFixture.replacing(fixture.parameters, [("redirect_uri", OAuthFixture.loopbackRedirect)])
                case "web": fixture.webParameters
                default: fixture.parameters
                }
            fixture.gateway.clock.advance(599)
            let late = try await fixture.open(parameters)
            fixture.gateway.clock.advance(1)
            if name == "web" {
                #expect(try OAuthFixture.fields(of: try await fixture.decide(late))["code"] != nil)
                return
            }
            // The page was shown in time, but the decision comes late.
            _ = try await Self.signInAgain(try await fixture.decide(late), fixture)
            #expect(try await fixture.respond(to: parameters)["code"] != nil)
            fixture.gateway.clock.advance(601)
            let again = try await fixture.open(parameters)
            // The person has allowed it, and only the client itself has its address.
            if name == "self" {
                #expect(again.status == 200 && again.text.contains("Allow Self-made?"))
            } else {
                _ = try await Self.signInAgain(again, fixture)
            }
        }
    }

    @Test("a person without a password is not asked to confirm, because a provider may be unable to")
    func withoutPassword() async throws {
        try await Self.with { fixture in
            let stores = fixture.gateway.gateway.stores
            let person = try await stores.people.require(GatewayFixture.email)
            _ = try await stores.database.write { try $0.run(IdentityStatements.dropPassword, person.id) }
            fixture.gateway.clock.advance(601)
            #expect(try await fixture.open(fixture.parameters).status == 200)
            let codes = try await fixture.codes(Self.fields("onyx"))
            #expect(try await fixture.enter(codes.userCode).text.contains(codes.userCode))
            let key = try await fixture.codes(Self.fields("relate-mail"))
            #expect(try await fixture.enter(key.userCode).status == 303, "A key lasts, so it needs a recent sign-in.")
        }
    }

    @Test(
        "a created session and that of a device allow nothing before a sign-in", arguments: [false, true],
        ["app", "web"])
    func notSignedIn(isDevice: Bool, client: String) async throws {
        try await Self.with { fixture in
            let parameters = client == "app" ? fixture.parameters : fixture.webParameters
            // The person has allowed the client before.
            _ = try await fixture.respond(to: parameters)
            if isDevice {
                let codes = try await fixture.codes(Self.fields("immich"))
                _ = try await fixture.decide(onDevice: codes.userCode)
                let token = try await Self.poll(codes, of: "immich", fixture).token.orThrow
                fixture.browser.browser.cookies["latchd_session"] = token
            } else {
                _ = try await fixture.useChildSession()
            }
            let silent = OAuthFixture.replacing(parameters, [("prompt", "none")])
            #expect(try OAuthFixture.fields(of: try await fixture.open(silent))["error"] == "login_required")
            let codes = try await fixture.codes(Self.fields("immich"))
            let device = try await fixture.enter(codes.userCode)
            #expect(device.status == 303 && device.next?.contains("again=1") == true)
            let next = try await Self.signInAgain(try await fixture.open(parameters), fixture)
            var response = try await fixture.browser.get(next)
            if response.status == 200 { response = try await fixture.decide(response) }
            #expect(try OAuthFixture.fields(of: response)["code"] != nil)
        }
    }

    private static let shorten = Statement(
        "UPDATE sessions SET cap_at = ?1, expires_at = ?1 WHERE token_hash = ?2", Date.self, [UInt8].self)

    @Test("the session of a device ends no later than the one in which it was allowed", arguments: dialects)
    func maximum(_ dialect: String) async throws {
        try await Self.with { fixture in
            let end = fixture.gateway.clock.now + hour
            let browser = try SHA256.digest(fixture.browser.browser.cookies["latchd_session"].orThrow).bytes
            _ = try await fixture.gateway.gateway.stores.database.write { try $0.run(Self.shorten, end, browser) }
            let codes = try await fixture.codes(Self.fields(dialect))
            _ = try await fixture.decide(onDevice: codes.userCode)
            let token = try await Self.poll(codes, of: dialect, fixture).token.orThrow
            // Accounts of Relate Mail have a key, whose end the operator sets.
            guard dialect != "relate-mail" else { return }
            let session = try #require(try await fixture.gateway.gateway.issuer.authenticateSigned(token).session)
            #expect(session.expires <= end && session.cap <= end)
        }
    }

    /// Makes a session the child of one that does not exist.
    private static let orphan = Statement("UPDATE sessions SET parent_id = 'none' WHERE token_hash = ?", [UInt8].self)

    @Test(
        "RFC 6749 §5.2 the write that stores tokens checks the session in which they were allowed",
        arguments: dialects + ["tv", "code"])
    func checkedWrite(_ way: String) async throws {
        try await Self.with { fixture in
            let stores = fixture.gateway.gateway.stores
            let browser = try SHA256.digest(fixture.browser.browser.cookies["latchd_session"].orThrow).bytes
            let ada = try await stores.people.require(GatewayFixture.email).id
            func end() async throws -> Int {
                // Only the check of a write sees that the session has ended with another one.
                try await stores.database.write { try $0.run(Self.orphan, browser) }
            }
            let response: Exchange.Response
            if way == "code" {
                let code = try (try await fixture.respond(to: fixture.parameters)["code"]).orThrow
                #expect(try await end() == 1)
                response = try await fixture.exchange(code)
            } else {
                let codes = try await fixture.codes(Self.fields(way))
                _ = try await fixture.decide(onDevice: codes.userCode)
                #expect(try await end() == 1)
                response = try await Self.poll(codes, of: way, fixture)
            }
            #expect(response.status == 400 && response.json?["error"] == "invalid_grant")
            let event = fixture.gateway.lines.audit.last { $0["event"]?.string == "sign-in-failed" }
            #expect(event?["reason"]?.string == "browser-signed-out")
            #expect(try await stores.sessions.live(of: ada).count == 1)
            #expect(try await stores.apiKeys.list(of: ada).isEmpty)
        }
    }
}
