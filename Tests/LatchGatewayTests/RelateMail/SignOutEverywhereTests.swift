import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import GatewayPages
@testable import LatchGateway

/// Signing out everywhere, in all its forms: sessions end and API keys are revoked.
@Suite(.timeLimit(.minutes(20)))
struct SignOutEverywhereTests {
    private func with(_ body: (RelateMailFixture, RelateMailFixture.Key) async throws -> Void) async throws {
        try await RelateMailFixture.with({ settings in
            settings.pages.isEnabled = true
            settings.immich.isEnabled = true
            settings.immich.prefix = "/immich/api"
        }) { fixture in
            try await fixture.base.addPerson()
            let key = try await fixture.key()
            #expect(try await fixture.profile(key.authorization).status == 200)
            try await body(fixture, key)
        }
    }

    @Test(
        "RM-8 signing out everywhere revokes the API keys too, in each of its forms",
        arguments: ["account page", "administration page", "command", "Immich", "password"])
    func revokesKeys(_ form: String) async throws {
        try await with { fixture, key in
            let other = try await fixture.key(subject: "bob-1", email: "bob@example.org")
            let stores = fixture.base.gateway.stores
            let ada = PageBrowser(fixture.base)
            _ = try await ada.signIn()
            switch form {
            case "account page":
                let page = "/latch/account"
                #expect(try await ada.get(page).text.contains("a key"))
                let done = try await ada.submitAndConfirm("\(page)/devices/end-others", on: page)
                #expect(
                    try await ada.get(done.headers["Location"] ?? "").text.contains("keys of your programs are revoked")
                )
            case "administration page":
                _ = try await stores.people.add(
                    email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
                let root = PageBrowser(fixture.base)
                _ = try await root.signIn("root@example.org", "root's own 77")
                let id = try await stores.people.require(GatewayFixture.email).id.uuidString.lowercased()
                _ = try await root.submitAndConfirm(
                    "/latch/admin/people/\(id)", on: "/latch/admin/people/\(id)", [("action", "end")])
            case "command":
                let otherProcess = try await fixture.base.otherProcess()
                await fixture.base.gateway.detectExternalWrites()
                let ended = try await otherProcess.sessions.revokeAll(
                    of: otherProcess.people.require(GatewayFixture.email).id)
                #expect(ended == RevokedAccess(sessions: 1, keys: 1))
                await fixture.base.gateway.detectExternalWrites()
                await otherProcess.close()
            case "Immich":
                let immich = ImmichFixture(base: fixture.base)
                #expect(try await immich.send("DELETE", "/sessions", try await immich.token()).status == 204)
            default:
                _ = try await ada.submit(
                    "/latch/account/password", on: "/latch/account",
                    [
                        ("current", GatewayFixture.password), ("new", "a better horse 8"),
                        ("repeated", "a better horse 8"),
                    ])
            }
            #expect(try await fixture.profile(key.authorization).status == 401)
            #expect(try await fixture.make(key.authorization).status == 401)
            #expect(try await fixture.profile(other.authorization).status == 200)
        }
    }

    @Test("RM-8 people see and revoke only their own API keys on the account page")
    func ownPage() async throws {
        try await with { fixture, key in
            let other = try await fixture.key(subject: "bob-1", email: "bob@example.org")
            let ada = PageBrowser(fixture.base)
            _ = try await ada.signIn()
            let page = try await ada.get("/latch/account").text
            #expect(page.contains(key.id) && !page.contains(other.id) && !page.contains(key.text))
            let path = "/latch/account/keys/"
            let token = try await ada.token(on: "/latch/account")
            _ = try await ada.post("\(path)\(other.id)/revoke", [(FormTokens.field, token)])
            #expect(try await fixture.profile(other.authorization).status == 200)

            let done = try await ada.submitAndConfirm("\(path)\(key.id)/revoke", on: "/latch/account")
            #expect(done.headers["Location"] == "/latch/account?done=key")
            #expect(try await fixture.profile(key.authorization).status == 401)
            #expect(fixture.events("api-key-revoked").last?["reason"]?.string == "on-a-page")
        }
    }

    @Test("RM-8 an administrator sees and revokes the API keys of any person; others cannot")
    func administrationPage() async throws {
        try await with { fixture, key in
            let stores = fixture.base.gateway.stores
            _ = try await stores.people.add(
                email: "root@example.org", isAdministrator: true, password: Secret("root's own 77"))
            let (ada, root) = (PageBrowser(fixture.base), PageBrowser(fixture.base))
            _ = try await ada.signIn()
            _ = try await root.signIn("root@example.org", "root's own 77")
            let person = try await stores.people.require(GatewayFixture.email).id.uuidString.lowercased()
            let (page, form) = ("/latch/admin/people/\(person)", "/latch/admin/keys/\(key.id)/revoke")
            let token = try await ada.token(on: "/latch/account")
            #expect(try await ada.post(form, [(FormTokens.field, token)]).status == 403)
            #expect(try await fixture.profile(key.authorization).status == 200)

            let done = try await root.submitAndConfirm(form, on: page)
            #expect(done.headers["Location"] == page + "?done=key")
            #expect(try await fixture.profile(key.authorization).status == 401)
        }
    }
}

/// Keys that expire.
@Suite(.timeLimit(.minutes(20)))
struct KeyExpiryTests {
    @Test("RM-8 an expired key is refused, even from memory; it is not listed any more and cannot create keys")
    func expires() async throws {
        try await RelateMailFixture.with { fixture in
            let end = fixture.base.clock.now + 3_600
            let body: JSONValue = ["name": "short", "expiresAt": .string(RelateMailResponses.text(end))]
            let made = try await fixture.send("POST", RelateMailFixture.credentials, try fixture.bearer(), body)
            let key = "ApiKey " + (try (made.json?["apiKey"]?.string).orThrow)
            let lasting = try await fixture.key()
            #expect(try await fixture.profile(key).status == 200)
            #expect(try await fixture.listed(lasting.authorization).compactMap { $0["expiresAt"]?.string }.count == 1)
            fixture.base.clock.advance(3_599)
            #expect(try await fixture.profile(key).status == 200)
            fixture.base.clock.advance(1)
            #expect(try await fixture.profile(key).status == 401)
            fixture.base.gateway.stores.apiKeys.invalidateAll()
            #expect(try await fixture.profile(key).status == 401)
            #expect(try await fixture.make(key).status == 401)
            #expect(try await fixture.profile(lasting.authorization).status == 200)
            #expect(try await fixture.listed(lasting.authorization).count == 1)
            fixture.base.clock.advance(31 * day)
            #expect(try await fixture.base.gateway.stores.apiKeys.purge(olderThan: .seconds(30 * 86_400)) == 1)
        }
    }

    @Test("RM-6 the configured lifetime bounds every key; an unreadable time or one in the past is refused")
    func bounds() async throws {
        try await RelateMailFixture.with({ $0.relateMail.keyLifetime = .seconds(86_400) }) { fixture in
            let now = fixture.base.clock.now
            let latest = RelateMailResponses.text(now + day)
            for (requested, stored) in [(now + 3_600, RelateMailResponses.text(now + 3_600)), (now + 2 * day, latest)] {
                let body: JSONValue = ["name": "one", "expiresAt": .string(RelateMailResponses.text(requested))]
                let made = try await fixture.send("POST", RelateMailFixture.credentials, try fixture.bearer(), body)
                #expect(made.json?["expiresAt"]?.string == stored)
            }
            #expect(try await fixture.make(try fixture.bearer()).json?["expiresAt"]?.string == latest)
            for text in ["soon", "", RelateMailResponses.text(now)] {
                let body: JSONValue = ["name": "one", "expiresAt": .string(text)]
                let refused = try await fixture.send("POST", RelateMailFixture.credentials, try fixture.bearer(), body)
                #expect(refused.status == 400 && refused.json?["error"]?.string?.contains("expiresAt") == true)
            }
        }
    }
}
