import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

/// The keys that several gateways on one database share.
@Suite("Keys of several gateways", .timeLimit(.minutes(20)))
struct SharedKeyTests {
    private static let differences = [-60.0, 0, 60]

    @Test("gateways that need the first signing key at the same moment create one", arguments: differences)
    func first(difference: Double) async throws {
        try await TimeTrackerFixture.with { fixture in
            let other = try await fixture.base.otherGateway(ahead: difference)
            let stores = [fixture.base.gateway.stores, other.stores]
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<40 {
                    let stores = stores[number % 2]
                    group.addTask {
                        try await stores.signingKeys.signer(until: stores.now() + .seconds(60)).publicKey.keyID
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            for stores in stores {
                let listed = try await stores.signingKeys.list()
                #expect(listed.map(\.id) == ids.compactMap { $0 } && listed.allSatisfy(\.isSigning))
            }
            await other.close()
        }
    }

    @Test(
        "gateways that rotate at the same moment create one key, and both publish it well before one of them signs with it",
        arguments: differences, [false, true])
    func rotation(difference: Double, onDemand: Bool) async throws {
        try await TimeTrackerFixture.with {
            $0.signingKeys.rotation = .seconds(10 * day)
        } _: { fixture in
            let other = try await fixture.base.otherGateway(ahead: difference)
            let gateways = [fixture.base.gateway, other]
            let old = try await signer(gateways[0])
            #expect(try await signer(gateways[1]) == old)
            fixture.clock.advance(10 * day + minute)
            // Both read the keys before one of them creates another.
            for gateway in gateways { #expect(try await published(gateway).count == 1) }

            let created = try await withThrowingTaskGroup(of: String?.self) { group in
                for gateway in gateways {
                    group.addTask {
                        if onDemand { return try await gateway.stores.signingKeys.rotate().id }
                        try await gateway.stores.signingKeys.upkeep()
                        return nil
                    }
                }
                return try await group.reduce(into: Set<String>()) { if let id = $1 { $0.insert(id) } }
            }
            #expect(created.count == (onDemand ? 1 : 0))
            for gateway in gateways {
                gateway.stores.signingKeys.invalidateCache()
                #expect(try await published(gateway).count == 2)
                #expect(try await signer(gateway) == old)
            }
            fixture.clock.advance(8 * minute)
            for gateway in gateways {
                try await gateway.stores.signingKeys.upkeep()
                #expect(try await signer(gateway) == old, "A key must be published for nine minutes before it signs.")
            }
            fixture.clock.advance(4 * minute)
            let new = try await signer(gateways[0])
            #expect(new != old)
            for gateway in gateways {
                #expect(try await signer(gateway) == new)
                #expect(try await published(gateway).isSuperset(of: [old, new]))
            }
            await other.close()
        }
    }

    @Test("a gateway whose clock is late signs with a key that begins at once elsewhere")
    func late() async throws {
        try await TimeTrackerFixture.with { fixture in
            let early = try await fixture.base.otherGateway(ahead: 60)
            _ = try await signer(fixture.base.gateway)
            let new = try await early.stores.signingKeys.rotate(removingOthers: true)
            fixture.base.gateway.stores.signingKeys.invalidateCache()
            #expect(try await signer(fixture.base.gateway) == new.id)
            #expect(try await early.stores.signingKeys.list().map(\.id) == [new.id])
            await early.close()
        }
    }

    @Test("a gateway with another bridge.key than a running one does not start, and says what to do")
    func otherSecret() async throws {
        try await BridgeFixture.with { fixture in
            let base = fixture.base
            await base.gateway.compareKeys()
            // The same key, as it should be.
            let same = try await base.otherGateway()
            await same.compareKeys()

            let error = await #expect(throws: GatewayError.self) {
                try await base.otherGateway { $0.bridge.keyFile = base.folder.path + "/other.key" }
            }
            #expect(error?.code == .file)
            #expect(error?.message.contains("another bridge.key; give all of them the same file") == true)
            await same.close()

            // Three minutes after the last gateway with the old key, the key is accepted.
            base.clock.advance(180)
            let other = try await base.otherGateway { $0.bridge.keyFile = base.folder.path + "/other.key" }
            await base.gateway.compareKeys()
            #expect(base.lines.text.contains("The gateways do not share a key."))
            await other.close()
        }
    }

    @Test("the key may be replaced between an orderly stop and the next start")
    func replacedSecret() async throws {
        let lines = Lines()
        try await BridgeFixture.with { fixture in
            let base = fixture.base
            let stopped = try await base.otherGateway()
            await stopped.close()
            let started = try await base.otherGateway(log: lines.writer) {
                $0.bridge.keyFile = base.folder.path + "/other.key"
            }
            await started.compareKeys()
            #expect(!lines.text.contains("The gateways do not share a key."))
            await started.close()
        }
    }

    @Test("gateways with one key count attempts together, and the value in the database is not the key")
    func derived() throws {
        let secret = Secret.random(32)
        let (one, same, other) = (BridgeKeys(secret), BridgeKeys(secret), BridgeKeys(Secret.random(32)))
        #expect(one.check == same.check && one.attempts == same.attempts)
        #expect(one.check != other.check && one.attempts != other.attempts)
        for key in [secret, one.state, one.code, one.browser, one.signing, one.form, one.attempts] {
            #expect(key.withBytes { $0 } != one.check)
        }
    }

    private func signer(_ gateway: Gateway) async throws -> String {
        let stores = gateway.stores
        return try await stores.signingKeys.signer(until: stores.now() + .seconds(60)).publicKey.keyID.orThrow
    }

    private func published(_ gateway: Gateway) async throws -> Set<String> {
        let keys = try JSONWebKeySet(parsing: try await gateway.stores.signingKeys.published()).keys
        return Set(keys.compactMap(\.keyID))
    }
}
