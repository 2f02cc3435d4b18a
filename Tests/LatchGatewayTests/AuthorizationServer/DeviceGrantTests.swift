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
@testable import GatewayPages
@testable import LatchGateway

/// The device authorization grant.
@Suite("Device authorization grant", .timeLimit(.minutes(20)))
struct DeviceGrantTests {
    @Test("RFC 8628 §3 a person allows a device, which gets a session of the client with an ID token")
    func signIn() async throws {
        try await OAuthFixture.withDevices { fixture in
            let response = try await fixture.begin([("resource", OAuthFixture.resource)])
            #expect(response.json?["expires_in"] == 600 && response.json?["interval"] == 5)
            let codes = try DeviceAuthorizationResponse(parsing: Array(response.text.utf8))
            #expect(codes.deviceCode.count == 43)
            #expect(codes.verification == OAuthFixture.issuer + OAuthFixture.devicePage)
            #expect(codes.completeVerification == "\(codes.verification)?user_code=\(codes.userCode)")
            #expect(try await fixture.pollError(codes) == "authorization_pending")

            let page = try await fixture.enter(" " + codes.userCode.lowercased().replacing("-", with: " "))
            for text in [
                "Example TV", codes.userCode, "Living room", "this machine", "just now", GatewayFixture.email,
                "see your name", "use \(OAuthFixture.resource) as you", "started it yourself",
            ] {
                #expect(page.text.contains(text), "\(text)")
            }
            #expect(page.headers["X-Frame-Options"] == "DENY")
            #expect(page.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
            let done = try await fixture.decide(onDevice: codes.userCode)
            #expect(done.status == 200 && done.text.contains("You allowed Example TV"))

            let granted = try await fixture.poll(codes)
            let tokens = try OAuthTokens(granted)
            #expect(granted.json?["scope"] == "openid profile email")
            let claims = try JSONValue(parsing: JSONWebSignature(parsing: try #require(tokens.id)).payload)
            #expect(claims["aud"] == "tv" && claims["auth_time"] != nil && claims["nonce"] == nil)
            #expect(try await fixture.userInfo(tokens.access).json?["name"] == "Ada")
            #expect(try await fixture.verify(tokens.access) == 200)
            #expect(try await fixture.refresh(tokens.refresh, client: "tv").status == 200)
            let account = try await fixture.browser.get("/latch/account").text
            #expect(account.contains("Example TV") && account.contains("Apps with access"))
            #expect(try await fixture.pollError(codes) == "invalid_grant")
            let events = fixture.gateway.lines.audit.filter { $0["client"] == "tv" }.map { $0["event"]?.string }
            #expect(events == ["client-allowed", "sign-in", "sign-in-failed"])
        }
    }

    @Test("RFC 8628 §3.1 every missing, doubled and wrong parameter of a device's request has its error")
    func requests() async throws {
        try await OAuthFixture.withDevices { fixture in
            for (changes, error) in [
                ([("client_id", nil)], "invalid_client"), ([("client_id", "none")], "invalid_client"),
                ([("client_id", "box")], "invalid_client"), ([("client_id", "latch")], "invalid_client"),
                ([("client_secret", "wrong")], "invalid_client"), ([("client_id", "app")], "unauthorized_client"),
                ([("client_id", "tv"), ("client_id", "tv")], "invalid_request"),
                ([("scope", "openid"), ("scope", "openid")], "invalid_request"),
                ([("resource", "https://elsewhere.example")], "invalid_target"),
                ([("resource", OAuthFixture.resource + "/" + String(repeating: "a", count: 9_000))], "invalid_request"),
            ] as [([(String, String?)], String)] {
                #expect(try await fixture.begin(changes).json?["error"] == .string(error), "\(changes)")
            }
            let secret = [("client_id", "box"), ("client_secret", OAuthFixture.secret)]
            #expect(try await fixture.begin(secret.map { ($0.0, $0.1) }).status == 200)
            #expect(try await fixture.begin([("scope", nil)]).status == 200)
            let metadata = try await fixture.gateway.http.send("GET", "/.well-known/oauth-authorization-server").json
            #expect(
                metadata?["device_authorization_endpoint"]
                    == .string(OAuthFixture.issuer + "/oauth2/device_authorization"))
            #expect(metadata?["grant_types_supported"]?.array?.contains(.string(OAuthFixture.deviceGrant)) == true)
            #expect(metadata?["device_dialects_supported"] == [])
            #expect(metadata?["prompt_values_supported"] == ["none", "login", "consent", "select_account"])
        }
    }

    @Test("RFC 8628 §3.4 a device code is good for its own client, and a mistake of a client does not use it up")
    func polls() async throws {
        try await OAuthFixture.withDevices { fixture in
            let codes = try await fixture.codes()
            _ = try await fixture.decide(onDevice: codes.userCode)
            let box = [("client_id", "box"), ("client_secret", OAuthFixture.secret)] as [(String, String?)]
            for (changes, error) in [
                ([("device_code", nil)], "invalid_request"), ([("device_code", codes.userCode)], "invalid_grant"),
                ([("device_code", "x"), ("device_code", "x")], "invalid_request"), (box, "invalid_grant"),
                ([("client_id", "app")], "unauthorized_client"), ([("client_id", nil)], "invalid_client"),
                ([("grant_type", "device_code")], "unsupported_grant_type"),
                ([("grant_type", "authorization_code")], "invalid_request"),
            ] as [([(String, String?)], String)] {
                #expect(try await fixture.pollError(codes, changes) == error, "\(changes)")
            }
            #expect(try await fixture.poll(codes).status == 200)
            let tokens = try await fixture.deviceTokens(box)
            #expect(try await fixture.userInfo(tokens.access).status == 200)
            #expect(try await fixture.refresh(tokens.refresh, client: "tv").json?["error"] == "invalid_grant")
        }
    }

    @Test("RFC 8628 §3.5 a device that asks too often must wait 5 seconds longer, at every gateway")
    func slowDown() async throws {
        try await OAuthFixture.withDevices { fixture in
            let other = try await fixture.gateway.otherGateway()
            try await attempt {
                let codes = try await fixture.codes()
                let (clock, code) = (fixture.gateway.clock, codes.deviceCode.reveal())
                let devices = try #require(other.services.deviceRequests)
                #expect(try await fixture.pollError(codes) == "authorization_pending")
                #expect(try await fixture.pollError(codes) == "slow_down")
                clock.advance(5)
                guard case .slowDown = try await devices.poll(code, of: "tv") else {
                    return #expect(Bool(false), "The interval is 10 seconds by now.")
                }
                clock.advance(15)
                #expect(try await fixture.pollError(codes) == "authorization_pending")
                clock.advance(14)
                #expect(try await fixture.pollError(codes) == "authorization_pending", "a second of tolerance")
                _ = try await fixture.decide(onDevice: codes.userCode)
                #expect(try await fixture.poll(codes).status == 200, "an allowed device need not wait")
            } finally: {
                await other.close()
            }
        }
    }

    @Test("RFC 9470 §4 a device can ask for a recent or a strong authentication, which is tried once")
    func authentication() async throws {
        try await OAuthFixture.withDevices { fixture in
            for age in ["-1", "1.5", "a", "99999999999"] {
                #expect(try await fixture.begin([("max_age", age)]).json?["error"] == "invalid_request", "\(age)")
            }
            _ = try await fixture.browser.signIn()
            fixture.gateway.clock.advance(60)
            for changes in [[("max_age", "60")], [("acr_values", "single-factor unknown")], [("acr_values", "x")]] {
                let codes = try await fixture.codes(changes.map { ($0.0, $0.1) })
                #expect(try await fixture.enter(codes.userCode).text.contains("Allow Example TV?"), "\(changes)")
            }
            for changes in [[("max_age", "59")], [("max_age", "0")], [("acr_values", "multi-factor")]] {
                let codes = try await fixture.codes(changes.map { ($0.0, $0.1) })
                fixture.gateway.clock.advance(1)
                let again = try await fixture.enter(codes.userCode)
                let address = try #require(again.next)
                #expect(again.status == 303 && address.hasSuffix("&again=1"), "\(changes)")
                let hasty = try await fixture.browser.post(
                    OAuthFixture.devicePage,
                    [
                        (FormTokens.field, try await fixture.browser.token(on: OAuthFixture.devicePage)),
                        ("user_code", codes.userCode), ("decision", "allow"),
                    ])
                #expect(hasty.next == address && hasty.status == 303, "\(changes)")
                #expect(try await fixture.pollError(codes) == "authorization_pending", "\(changes)")
                _ = try await fixture.browser.submit(
                    "/latch/sign-in", on: address, [("password", GatewayFixture.password)])
                _ = try await fixture.decide(onDevice: codes.userCode)
                let tokens = try OAuthTokens(try await fixture.poll(codes))
                let claims = try JSONValue(parsing: JSONWebSignature(parsing: try #require(tokens.id)).payload)
                #expect(claims["acr"] == "single-factor", "the device learns the level that was reached")
                fixture.gateway.clock.advance(61)
            }
        }
    }

    @Test("RFC 9449 §4.3 a repeated proof, one for another address or a missing one does not use up the decision")
    func proofs() async throws {
        try await OAuthFixture.withDevices({ settings in
            settings.authorizationServer.clients.append(
                RegisteredClient(
                    id: "bound", name: "Bound TV", secretHash: nil, redirects: [], allowsDevice: true,
                    requiresProof: true))
        }) { fixture in
            let maker = try ProofMaker()
            let codes = try await fixture.codes([("client_id", "bound")])
            func poll(_ codes: DeviceAuthorizationResponse, _ proof: [(String, String)]) async throws
                -> Exchange.Response
            {
                try await fixture.post(
                    "token",
                    [
                        ("grant_type", OAuthFixture.deviceGrant), ("device_code", codes.deviceCode.reveal()),
                        ("client_id", "bound"),
                    ], headers: proof)
            }
            let used = try fixture.tokenProof(maker)
            let first = try await fixture.codes([("client_id", "bound")])
            _ = try await fixture.decide(onDevice: first.userCode)
            #expect(try await poll(first, used).json?["token_type"] == "DPoP")

            _ = try await fixture.decide(onDevice: codes.userCode)
            let other = try maker.proof("POST", OAuthFixture.issuer + "/oauth2/revoke", at: fixture.gateway.clock.now)
            for proof in [[], used, [("DPoP", other)], [("DPoP", "nonsense")]] {
                #expect(try await poll(codes, proof).json?["error"] == "invalid_dpop_proof")
            }
            let proof = try fixture.tokenProof(maker)
            #expect(try await poll(codes, proof).json?["token_type"] == "DPoP")
            #expect(try await poll(codes, try fixture.tokenProof(maker)).json?["error"] == "invalid_grant")
        }
    }

    @Test("RFC 8628 §3.5 a code expires after ten minutes, and is deleted later")
    func expiry() async throws {
        try await OAuthFixture.withDevices { fixture in
            let (waiting, allowed) = (try await fixture.codes(), try await fixture.codes())
            _ = try await fixture.decide(onDevice: allowed.userCode)
            fixture.gateway.clock.advance(599)
            #expect(try await fixture.pollError(waiting) == "authorization_pending")
            fixture.gateway.clock.advance(1)
            #expect(try await fixture.pollError(waiting) == "expired_token")
            #expect(try await fixture.pollError(allowed) == "expired_token")
            #expect(try await fixture.enter(waiting.userCode).status == 404)
            await fixture.gateway.gateway.purge()
            #expect(try await fixture.pollError(waiting) == "expired_token")
            fixture.gateway.clock.advance(700)
            await fixture.gateway.gateway.purge()
            #expect(try await fixture.pollError(waiting) == "invalid_grant")
        }
    }

    @Test("RFC 8628 §3.5 a denied device gets access_denied, and a decision is final")
    func denial() async throws {
        try await OAuthFixture.withDevices { fixture in
            let codes = try await fixture.codes()
            let page = try await fixture.enter(codes.userCode)
            let fields = PageBrowser.hiddenFields(
                of: try #require(PageBrowser.form(OAuthFixture.devicePage, in: page.text)))
            #expect(try await fixture.decide(onDevice: codes.userCode, "deny").text.contains("Not allowed"))
            #expect(
                try await fixture.browser.post(OAuthFixture.devicePage, fields + [("decision", "allow")]).status == 404)
            for _ in 0..<2 { #expect(try await fixture.pollError(codes) == "access_denied") }
            let account = try await fixture.browser.get("/latch/account").text
            #expect(!account.contains("Example TV"))
            #expect(fixture.gateway.lines.audit.contains { $0["event"] == "client-denied" && $0["client"] == "tv" })
        }
    }

    @Test("RFC 8628 §3.5 of many requests for the tokens at once, at two gateways, one gets them")
    func once() async throws {
        try await OAuthFixture.withDevices { fixture in
            let other = try await fixture.gateway.otherGateway()
            try await attempt {
                let codes = try await fixture.codes()
                let stores = [try #require(other.services.deviceRequests)]
                _ = try await fixture.decide(onDevice: codes.userCode)
                let successes = try await withThrowingTaskGroup { group in
                    for number in 0..<24 {
                        group.addTask { () -> Bool in
                            guard number.isMultiple(of: 2) else { return try await fixture.poll(codes).status == 200 }
                            let poll = try await stores[0].poll(codes.deviceCode.reveal(), of: "tv")
                            if case .allowed = poll { return true }
                            return false
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(successes == 1)
            } finally: {
                await other.close()
            }
        }
    }

    @Test("RFC 8628 §3.5 nothing is issued when the person has changed anything since")
    func changes() async throws {
        try await OAuthFixture.withDevices { fixture in
            let stores = fixture.gateway.gateway.stores
            let ada = try await stores.people.require(GatewayFixture.email)
            let removed = try await fixture.codes()
            _ = try await fixture.decide(onDevice: removed.userCode)
            _ = try await stores.clients.withdraw("tv", asking: Session(now: ada, fixture.gateway.clock.now))
            #expect(try await fixture.pollError(removed) == "invalid_grant")

            let signedOut = try await fixture.codes()
            _ = try await fixture.decide(onDevice: signedOut.userCode)
            _ = try await fixture.browser.submit("/latch/sign-out", on: "/latch/account")
            #expect(try await fixture.pollError(signedOut) == "invalid_grant")

            let everywhere = try await fixture.codes()
            _ = try await fixture.browser.signIn()
            _ = try await fixture.decide(onDevice: everywhere.userCode)
            _ = try await stores.sessions.revokeAll(of: ada.id)
            #expect(try await fixture.pollError(everywhere) == "invalid_grant")
            let reasons = fixture.gateway.lines.audit.filter { $0["client"] == "tv" }.compactMap {
                $0["reason"]?.string
            }
            #expect(
                reasons.filter { $0 != "device" } == ["access-removed", "browser-signed-out", "person-changed"])
        }
    }

    @Test("RFC 8628 §5.1 the number of requests that wait is bounded for each address")
    func bounds() async throws {
        try await OAuthFixture.withDevices { fixture in
            let devices = try #require(fixture.gateway.gateway.services.deviceRequests)
            let grant = ClientGrant(client: "tv", scopes: [])
            func begin(_ number: Int) async throws -> DeviceCodes? {
                let device = SessionDevice(address: "192.0.2.\(number / DeviceRequestStore.maximum.address)")
                return try await devices.begin(grant, dialect: nil, device: device)
            }
            for _ in 0..<DeviceRequestStore.maximum.address { #expect(try await begin(0) != nil) }
            #expect(try await begin(0) == nil)
            #expect(try await begin(DeviceRequestStore.maximum.address) != nil)
            func begin(from address: String) async throws -> DeviceCodes? {
                try await devices.begin(grant, dialect: nil, device: SessionDevice(address: address))
            }
            for number in 0..<DeviceRequestStore.maximum.address {
                let made = try await begin(from: "2001:db8:1:2::\(String(number, radix: 16))")
                #expect(made != nil, "\(number)")
            }
            #expect(try await begin(from: "2001:db8:1:2:ffff::") == nil, "of the same network")
            #expect(try await begin(from: "2001:db8:1:3::") != nil)
            // The /56 has four times as many, the two networks above included.
            for number in 0..<(3 * DeviceRequestStore.maximum.address - 1) {
                let made = try await begin(from: "2001:db8:1:\(String(number % 128 + 16, radix: 16))::1")
                #expect(made != nil, "\(number)")
            }
            #expect(try await begin(from: "2001:db8:1:f0::1") == nil, "of the same /56")
            #expect(try await begin(from: "2001:db8:1:100::1") != nil)
        }
    }
}
