import Crypto
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP

/// Which clients are removed for further registrations.
@Suite("Shares of registered clients", .timeLimit(.minutes(20)))
struct ClientRegistrationShareTests {
    /// 80 may be unused: 10 of an address, 20 of a /56, 40 of a /48.
    private static let maximum = 320

    /// Registers a client from an address. Returns its id, or the message of the refusal.
    private static func register(
        _ fixture: ClientSessionFixture, from address: String, _ approval: ClientApproval = .approved,
        isOfOtherPage: Bool = false
    ) async throws -> (id: String?, refusal: String?) {
        let id = RegisteredClient.newID()
        let client = RegisteredClient(
            id: id, name: "App", secretHash: nil, redirects: ["a:/b"], created: fixture.clock.now,
            registration: ClientRegistration(tokenHash: SHA256.digest(id), method: .none, approval: approval))
        do {
            try await fixture.stores.clients.register(
                client, from: AddressKey(IPAddress(address)), isOfOtherPage: isOfOtherPage, maximum: maximum)
            return (id, nil)
        } catch let error as GatewayError where error.code == .tooManyClients {
            return (nil, error.message)
        }
    }

    /// Registers clients until one is refused. Returns their number.
    private static func fill(
        _ fixture: ClientSessionFixture, from address: String, _ approval: ClientApproval = .approved,
        isOfOtherPage: Bool = false
    ) async throws -> Int {
        var count = 0
        while try await register(fixture, from: address, approval, isOfOtherPage: isOfOtherPage).id != nil,
            count < maximum
        { count += 1 }
        return count
    }

    @Test("a /56 and a /48 have shares of the unused clients too", arguments: [ClientApproval.approved, .waiting])
    func networks(_ approval: ClientApproval) async throws {
        try await ClientSessionFixture.with { fixture in
            for (address, count) in [
                ("2001:db8:1:0::1", 10), ("2001:db8:1:1::1", 10), ("2001:db8:1:2::1", 0), ("2001:db8:1:100::1", 10),
                ("2001:db8:1:200::1", 10), ("2001:db8:1:300::1", 0), ("2001:db8:2:0::1", 10), ("192.0.2.1", 10),
            ] {
                let filled = try await Self.fill(fixture, from: address, approval)
                #expect(filled == count, "\(address)")
            }
        }
    }

    @Test(
        "pages of other sites have shares of their own, a quarter as large",
        arguments: [ClientApproval.approved, .waiting])
    func otherPages(_ approval: ClientApproval) async throws {
        try await ClientSessionFixture.with { fixture in
            for (address, count) in [
                ("2001:db8:1:0::1", 2), ("2001:db8:1:1::1", 2), ("2001:db8:1:2::1", 1), ("2001:db8:1:3::1", 0),
                ("2001:db8:1:100::1", 2), ("2001:db8:1:200::1", 2), ("2001:db8:1:300::1", 1),
                ("2001:db8:1:400::1", 0), ("2001:db8:2:0::1", 2), ("192.0.2.1", 2), ("192.0.2.2", 2),
            ] {
                let filled = try await Self.fill(fixture, from: address, approval, isOfOtherPage: true)
                #expect(filled == count, "\(address)")
            }
            for address in ["2001:db8:1:0::1", "2001:db8:1:2::1", "192.0.2.1", "192.0.2.3"] {
                #expect(try await Self.fill(fixture, from: address, approval) == 10, "\(address)")
            }
        }
    }

    @Test("the network with the most unused clients loses its oldest, not the one with a single client")
    func largestNetwork() async throws {
        try await ClientSessionFixture.with { fixture in
            let single = try #require(try await Self.register(fixture, from: "192.0.2.1").id)
            fixture.clock.advance(1)
            for site in 0..<4 { _ = try await Self.fill(fixture, from: "2001:db8:1:\(site)00::1") }
            for number in 0..<39 { _ = try await Self.register(fixture, from: "198.51.100.\(number)") }
            #expect(try await Self.register(fixture, from: "192.0.2.2").id == nil, "Their sign-ins may be in progress.")
            fixture.clock.advance(601)
            for number in 3..<13 { #expect(try await Self.register(fixture, from: "192.0.2.\(number)").id != nil) }
            #expect(try await fixture.stores.clients.client(single) != nil)
            #expect(try await fixture.stores.clients.list().count { $0.registration != nil } == 80)
        }
    }

    @Test("a client that waits for approval is not removed for registrations of others")
    func waiting() async throws {
        try await ClientSessionFixture.with { fixture in
            let clients = fixture.stores.clients
            let wanted = try #require(try await Self.register(fixture, from: "192.0.2.1", .waiting).id)
            let neighbor = try #require(try await Self.register(fixture, from: "203.0.113.9", .waiting).id)
            let approved = try #require(try await Self.register(fixture, from: "192.0.2.3", .waiting).id)
            _ = try await clients.decide(approved, .approved)
            fixture.clock.advance(3_600)
            // A stranger at the address of the neighbor, and many others.
            #expect(try await Self.fill(fixture, from: "203.0.113.9", .waiting) == 9)
            let own = try await Self.register(fixture, from: "203.0.113.9", .waiting).refusal
            #expect(
                own
                    == "Too many clients from your network wait for approval. Ask an administrator to decide about them."
            )
            for number in 0..<300 {
                fixture.clock.advance(60)
                _ = try await Self.register(fixture, from: "198.51.\(number / 100).\(number % 100)", .waiting)
            }
            let full = try await Self.register(fixture, from: "198.51.99.1", .waiting).refusal
            #expect(full == "Too many clients wait for approval. Ask an administrator to decide about them.")
            for id in [wanted, neighbor, approved] { #expect(try await clients.client(id) != nil) }
            let left = try await clients.list().count { $0.registration?.approval == .waiting }
            #expect(left == 80)
        }
    }

    @Test("a refused client is removed first, and one that waits only for a client that waits too")
    func refused() async throws {
        try await ClientSessionFixture.with { fixture in
            let clients = fixture.stores.clients
            let refused = try #require(try await Self.register(fixture, from: "192.0.2.1", .waiting).id)
            _ = try await clients.decide(refused, .refused)
            var ids: [String] = []
            for number in 0..<79 {
                let address = "198.51.100.\(number / 8)"
                ids.append(try #require(try await Self.register(fixture, from: address, .waiting).id))
            }
            fixture.clock.advance(601)
            #expect(try await Self.register(fixture, from: "203.0.113.1", .waiting).id != nil)
            #expect(try await clients.client(refused) == nil)
            #expect(try await Self.register(fixture, from: "203.0.113.2").id == nil)
            for id in ids { #expect(try await clients.client(id) != nil) }
        }
    }
}
