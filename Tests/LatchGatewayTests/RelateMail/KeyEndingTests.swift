import Crypto
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// Keys end with the account, wherever that is changed, and leave nothing behind.
@Suite(.timeLimit(.minutes(20))) struct RelateMailKeyEndingTests {
    @Test(
        "RM-8 a person's keys end when the person is disabled, removed or gets a new password",
        arguments: ["disable", "remove", "password", "unlink", "keys"])
    func account(_ change: String) async throws {
        try await RelateMailFixture.with { fixture in
            let key = try await fixture.key()
            let other = try await fixture.key(subject: "bob-1", email: "bob@example.org")
            #expect(try await fixture.profile(key.authorization).status == 200)
            let stores = fixture.base.gateway.stores
            let person = try await stores.people.require(GatewayFixture.email).id

            switch change {
            case "disable": try await stores.people.disable(person)
            case "remove": try await stores.people.remove(person)
            case "password": try await stores.people.setPassword(Secret("another horse 8"), of: person)
            case "unlink": try await stores.people.unlink(person, from: "sso")
            default: try await stores.apiKeys.revokeAll(of: person)
            }

            #expect(try await fixture.profile(key.authorization).status == 401)
            #expect(try await fixture.make(key.authorization).status == 401)
            if change == "disable" { try await stores.people.enable(person) }
            #expect(try await fixture.profile(key.authorization).status == 401)
            #expect(try await fixture.profile(other.authorization).status == 200)
        }
    }

    @Test("RM-8 a key is revoked with the keys that it created, except if a key requests it, for rotation")
    func successors() async throws {
        try await RelateMailFixture.with { fixture in
            func successor(of key: RelateMailFixture.Key) async throws -> RelateMailFixture.Key {
                let json = try await fixture.make(key.authorization).json
                return .init(id: try (json?["id"]?.string).orThrow, text: try (json?["apiKey"]?.string).orThrow)
            }
            let (first, other) = (try await fixture.key(), try await fixture.key())
            let second = try await successor(of: first)
            let third = try await successor(of: second)
            let last = try await successor(of: third)
            #expect(try await fixture.revoke(third.id, last.authorization).status < 300)
            for key in [first, second, last] { #expect(try await fixture.profile(key.authorization).status == 200) }

            #expect(try await fixture.revoke(first.id, try fixture.bearer()).status < 300)
            for key in [first, second, third, last] {
                #expect(try await fixture.profile(key.authorization).status == 401)
            }
            #expect(try await fixture.profile(other.authorization).status == 200)
            #expect(fixture.events("api-key-revoked").count == 4)
        }
    }

    @Test("RM-8 keys that another process revokes or disables are refused after the next check")
    func otherProcess() async throws {
        try await RelateMailFixture.with { fixture in
            let (first, second) = (try await fixture.key(), try await fixture.key())
            for key in [first, second] { #expect(try await fixture.profile(key.authorization).status == 200) }
            let otherGateway = try await fixture.base.otherProcess()
            await fixture.base.gateway.detectExternalWrites()

            try await otherGateway.apiKeys.revoke(try #require(UUID(uuidString: first.id)))
            await fixture.base.gateway.detectExternalWrites()
            #expect(try await fixture.profile(first.authorization).status == 401)
            #expect(try await fixture.profile(second.authorization).status == 200)

            try await otherGateway.people.disable(otherGateway.people.require(GatewayFixture.email).id)
            await fixture.base.gateway.detectExternalWrites()
            #expect(try await fixture.profile(second.authorization).status == 401)
            await otherGateway.close()
        }
    }

    @Test("RM-8 a key that is revoked while it creates keys leaves none of them")
    func race() async throws {
        try await RelateMailFixture.with { fixture in
            let token = try fixture.issuer.token()
            for _ in 0..<5 {
                let key = try await fixture.key(["app"])
                async let ended = fixture.revoke(key.id, "Bearer \(token)")
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<8 { group.addTask { try await fixture.make(key.authorization, name: "made").status } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(try await ended.status == 204)
                #expect(statuses.allSatisfy { $0 == 200 || $0 == 401 })
                #expect(try await fixture.make(key.authorization).status == 401)
                let listed = try await fixture.listed("Bearer \(token)").filter { $0["name"] == "made" }
                #expect(listed.isEmpty, "\(statuses)")
            }
        }
    }

    @Test("RM-6 the requesting key must be valid at the time of the write")
    func requestingKey() async throws {
        try await RelateMailFixture.with { fixture in
            let key = try await fixture.key()
            let stores = fixture.base.gateway.stores
            let person = try await stores.people.require(GatewayFixture.email)
            let id = try #require(UUID(uuidString: key.id))
            try await stores.apiKeys.revoke(id)
            let error = await #expect(throws: GatewayError.self) {
                _ = try await stores.apiKeys.create(
                    for: person, name: "late", scopes: ["app"], maximum: 100, asking: id)
            }
            #expect(error?.code == .unknownPerson)
        }
    }

    @Test("RM-8 a use is written later, and a request with a cached key does not read the database")
    func uses() async throws {
        try await RelateMailFixture.with { fixture in
            let key = try await fixture.key(["app"])
            #expect(try await fixture.make(key.authorization).status == 200)
            let stores = fixture.base.gateway.stores
            let id = try #require(UUID(uuidString: key.id))
            func written() async throws -> Date? {
                try await fixture.base.otherProcess().apiKeys.list().first { $0.id == id }?.lastUsed
            }
            let none = try await written()
            #expect(none == nil)
            await fixture.base.gateway.flush()
            let first = try #require(try await written())
            fixture.base.clock.advance(30)
            _ = try await fixture.make(key.authorization)
            await fixture.base.gateway.flush()
            let second = try await written()
            #expect(second == first)
            fixture.base.clock.advance(31)
            _ = try await fixture.make(key.authorization)
            #expect(try await stores.apiKeys.list().first { $0.id == id }?.lastUsed == fixture.base.clock.now)
            await fixture.base.gateway.flush()
            let third = try await written()
            #expect(third == fixture.base.clock.now)
            #expect(stores.apiKeys.cachedAuthentication(key.text)?.id == id)
        }
    }

    @Test("RM-6 only the SHA-256 of a key is on the disk, and the key is in no log")
    func atRest() async throws {
        try await RelateMailFixture.with { fixture in
            let key = try await fixture.key()
            _ = try await fixture.profile(key.authorization)
            _ = try await fixture.send("GET", "/api/profile?api_key=\(key.text)", nil)
            _ = try await fixture.send("GET", "/api/smtp-credentials/\(key.text.prefix(43))", nil)
            _ = try await fixture.revoke(key.text.replacing("/", with: "%2F"), key.authorization)
            let raw = try #require(Data(base64Encoded: key.text))
            for name in try FileManager.default.contentsOfDirectory(atPath: fixture.base.folder.path) {
                let bytes = try Data(contentsOf: URL(filePath: fixture.base.folder.path + "/" + name))
                #expect(!bytes.leaks(key.text) && !bytes.leaks(Array(raw)), "\(name)")
            }
            #expect(!fixture.base.lines.text.leaks(String(key.text.prefix(20))))
            let metrics = try await fixture.base.http.send("GET", "/metrics").text
            #expect(metrics.contains(#"latchd_api_keys_total{outcome="made"} 1"#) && !metrics.leaks(key.text))
        }
    }

    @Test("RM-8 keys that were revoked long ago are deleted")
    func purge() async throws {
        try await RelateMailFixture.with { fixture in
            let (active, revoked) = (try await fixture.key(), try await fixture.key())
            #expect(try await fixture.revoke(revoked.id, active.authorization).status == 204)
            fixture.base.clock.advance(31 * day)
            #expect(try await fixture.base.gateway.stores.apiKeys.purge(olderThan: .seconds(30 * 86_400)) == 1)
            #expect(try await fixture.profile(active.authorization).status == 200)
        }
    }
}
