import Crypto
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

/// Signing in with a key that the person made, where nothing else can.
@Suite(.timeLimit(.minutes(20))) struct RelateMailKeySignInTests {
    @Test("RM-7 a pasted key is tested, its id is found if it is the only one, and signing out revokes it")
    func onlyKey() async throws {
        let fixture = try await RelateMailFixture(.init(hasProvider: false))
        let key = fixture.server.add("my desk", scopes: ["api:read"])
        let latch = try await fixture.home.open()

        let account = try await fixture.signIn(latch, key: "  \(key.key)\n")

        #expect(account.apiKeyID == key.id && account.scopes == ["api:read"] && account.userEmail == "ada@example.org")
        #expect(try await fixture.stored(account)?.access.reveal() == key.key)
        #expect(try fixture.home.files(holding: key.key).isEmpty)
        #expect(
            fixture.wire.requests.allSatisfy { $0.headers["Authorization"].map { $0 == "ApiKey \(key.key)" } ?? true })
        #expect(try await latch.signOut(account).isRevoked && fixture.server.keys.isEmpty)
        await fixture.stop()
    }

    @Test(
        "RM-8 of several keys it is the one whose last use changes; without that, signing out reports what is left"
    )
    func severalKeys() async throws {
        for tellsUse in [true, false] {
            let fixture = try await RelateMailFixture(.init(hasProvider: false, tellsUse: tellsUse))
            fixture.server.add("a phone")
            let key = fixture.server.add("my desk")
            fixture.server.add("a tablet", scopes: ["smtp"])
            let latch = try await fixture.home.open()

            let account = try await fixture.signIn(latch, key: key.key)
            #expect(account.apiKeyID == (tellsUse ? key.id : nil))
            if !tellsUse {
                let error = await #expect(throws: LatchError.self) {
                    try await latch.session(for: account).rotateKey()
                }
                #expect(error?.code == .keyUnknown && fixture.server.keys.count == 3)
            }
            let report = try await latch.signOut(account)
            #expect(report.isRevoked == tellsUse && report.failure?.code == (tellsUse ? nil : .keyUnknown))
            #expect(fixture.server.keys.count == (tellsUse ? 2 : 3))
            await fixture.stop()
        }
    }

    @Test("RM-8 a new key has the same scopes as the old one, also if they were not known here")
    func sameScopes() async throws {
        let fixture = try await RelateMailFixture(.init(hasProvider: false))
        fixture.server.add("a phone")
        let key = fixture.server.add("my desk", scopes: ["api:read"])
        let latch = try await fixture.home.open()
        fixture.server.intercept { $0.path == "/api/smtp-credentials" ? .init(status: 429, headers: [:]) : nil }
        let account = try await fixture.signIn(latch, key: key.key)
        #expect(account.apiKeyID == nil && account.scopes.isEmpty)
        fixture.server.intercept(nil)

        let rotation = try await latch.session(for: account).rotateKey()

        #expect(rotation.oldKeyID == key.id && rotation.scopes == ["api:read"] && rotation.failure == nil)
        #expect(fixture.server.keys.map(\.scopes) == [["api:read"], ["app"]])
        await fixture.stop()
    }

    @Test("RM-4 without a provider, browser sign-in is refused with the remedy to use a key")
    func noBrowser() async throws {
        let fixture = try await RelateMailFixture(.init(hasProvider: false))
        let latch = try await fixture.home.open()
        let error = await #expect(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(error?.code == .browserLoginDisabled && error?.message.hasSuffix("Use a key.") == true)
        await fixture.stop()
    }

    @Test("With the longest names of program and machine, a key's name still has its unique mark")
    func longNames() {
        let device = Device(program: String(repeating: "p", count: 60), model: String(repeating: "m", count: 90))
        let name = KeyName(device)
        let body = try? JSONValue(parsing: RelateMailDialect().makeAppKey(device: name.text).body)
        #expect(body?["deviceName"]?.string == name.text && name.text.count <= 70)
        #expect(KeyName(device) != name)
    }

    @Test("RM-8 a key is not guessed if other programs use keys at the same time")
    func ambiguous() throws {
        func key(_ id: String, _ used: Double?) -> RemoteKey {
            RemoteKey(
                id: id, name: id, scopes: [], created: nil, lastUsed: used.map { Date(timeIntervalSince1970: $0) },
                isCurrent: false)
        }
        #expect(CurrentKey.moved(from: [key("a", nil), key("b", 1)], to: [key("a", 2), key("b", 1)])?.id == "a")
        #expect(CurrentKey.moved(from: [key("a", 1), key("b", 1)], to: [key("a", 2), key("b", 2)]) == nil)
        #expect(CurrentKey.moved(from: [key("a", 1)], to: [key("a", 1)]) == nil)
        #expect(CurrentKey.moved(from: [key("a", 1)], to: [key("a", 1), key("new", 2)]) == nil)
    }

    /// What a server says to a key, the code and the words that matter.
    static let answers: [(ScriptedServer.Response, LatchError.Code, String)] = [
        (.init(status: 401, headers: ["WWW-Authenticate": "Bearer"]), .wrongCredentials, "does not accept this key"),
        (.json(#"{"error":"Sub claim missing"}"#, 401), .wrongCredentials, "does not accept this key"),
        (.init(status: 403, headers: [:]), .serverRefused, "status 403"),
        (.init(status: 429, headers: [:]), .rateLimited, "Wait 60 seconds"),
        (.json(#"{"error":"An unexpected error occurred"}"#, 500), .serverError, "before February 2026"),
        (.page(500), .serverError, "before February 2026"), (.page(200), .interceptedResponse, "web page"),
        (.redirect("https://sso.example.org/x"), .interceptedResponse, "sso.example.org"),
        (.json("{}"), .interceptedResponse, "unexpected format"),
    ]

    @Test("RM-7 a key that does not work is not stored, and the reason is reported", arguments: answers)
    func refused(_ response: ScriptedServer.Response, _ code: LatchError.Code, _ words: String) async throws {
        let fixture = try await RelateMailFixture(.init(hasProvider: false))
        let key = fixture.server.add()
        let latch = try await fixture.home.open()
        fixture.server.intercept { $0.path == "/api/profile" ? response : nil }

        let error = await #expect(throws: LatchError.self) { try await fixture.signIn(latch, key: key.key) }

        #expect(error?.code == code && error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(key.key) == false)
        #expect(try await latch.accounts.rowIDs().isEmpty && fixture.server.keys.count == 1)
        await fixture.stop()
    }

    @Test("RM-7 a key only for mail programs does not sign in, and an invalid key is not sent")
    func notForPrograms() async throws {
        let fixture = try await RelateMailFixture(.init(hasProvider: false))
        let key = fixture.server.add("mail", scopes: ["smtp", "imap"])
        let latch = try await fixture.home.open()
        let error = await #expect(throws: LatchError.self) { try await fixture.signIn(latch, key: key.key) }
        #expect(error?.code == .wrongCredentials && error?.message.contains("mail programs") == true)

        for text in ["", "  \n", "two words", "käse", "a\nb", String(repeating: "a", count: 513)] {
            let error = #expect(throws: LatchError.self) { try KeySignIn(key: Secret(text)) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(try KeySignIn(key: Secret(" \t+/a=\r\n")).key.reveal() == "+/a=")
        await fixture.stop()
    }

    @Test("RM-7 a sign-in with the same key keeps its id; a key of another family's account is refused")
    func sameKey() async throws {
        let fixture = try await RelateMailFixture(.init(hasProvider: false))
        let key = fixture.server.add()
        let latch = try await fixture.home.open()
        let first = try await fixture.signIn(latch, key: key.key)
        fixture.server.add("a phone")
        fixture.server.intercept { $0.path == "/api/smtp-credentials" ? .init(status: 429, headers: [:]) : nil }
        let second = try await fixture.signIn(latch, key: key.key)
        #expect(first.id == second.id && second.apiKeyID == key.id)
        #expect(fixture.server.keys.count == 2)

        let onyx = try OnyxFixture()
        let server = try await latch.probe(onyx.address).requireServer()
        let error = await #expect(throws: LatchError.self) {
            try await latch.signIn(KeySignIn(key: Secret("k")), to: server)
        }
        #expect(error?.code == .noKeys)
        let account = try await onyx.signIn(latch)
        let none = await #expect(throws: LatchError.self) { try await latch.session(for: account).keys() }
        #expect(none?.code == .noKeys && none?.message.contains("speaks Onyx, which issues no keys") == true)
        await fixture.stop()
    }
}
