import Crypto
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// That a PIN is changed or taken away only by what is true in the very write that does so.
@Suite(.timeLimit(.minutes(20)))
struct PINChangeTests {
    @Test("IM-15 of two concurrent changes with the same PIN only one succeeds")
    func isChangedOnce() async throws {
        try await ImmichFixture.with { fixture in
            let (pins, person) = (fixture.base.gateway.stores.pins, try await fixture.person().id)
            try await pins.set(PIN("111111"), of: person)

            async let first = pins.change(to: PIN("222222"), of: person, by: .pin(PIN("111111")))
            async let second = pins.change(to: PIN("333333"), of: person, by: .pin(PIN("111111")))
            let answers = try await [first, second]

            #expect(answers.filter { $0 == .right }.count == 1)
            #expect(answers.contains(.wrong))
            let stored = try PIN(answers[0] == .right ? "222222" : "333333")
            #expect(try await pins.check(stored, of: person) == .right)
        }
    }

    @Test("IM-15 of a concurrent removal and change with the same PIN only one succeeds")
    func isRemovedOrChanged() async throws {
        try await ImmichFixture.with { fixture in
            let (pins, person) = (fixture.base.gateway.stores.pins, try await fixture.person().id)
            try await pins.set(PIN("111111"), of: person)

            async let first = pins.change(to: PIN("222222"), of: person, by: .pin(PIN("111111")))
            async let second = pins.remove(of: person, by: .pin(PIN("111111")))
            let (changed, removed) = try await (first, second)

            #expect((changed == .right) != (removed == .right))
            #expect(try await pins.isSet(person) == (changed == .right))
        }
    }

    @Test("IM-15 a password that was replaced after it was checked cannot change a PIN")
    func isNotChangedByOldPassword() async throws {
        try await ImmichFixture.with { fixture in
            let stores = fixture.base.gateway.stores
            let proved = try await fixture.person()
            try await stores.pins.set(PIN("111111"), of: proved.id)
            try await stores.people.setPassword(Secret("another long password"), of: proved.id)

            #expect(try await stores.pins.change(to: PIN("222222"), of: proved.id, by: .password(proved)) == .wrong)
            #expect(try await stores.pins.remove(of: proved.id, by: .password(proved)) == .wrong)

            #expect(try await stores.pins.check(PIN("111111"), of: proved.id) == .right)
            let person = try await fixture.person()
            #expect(try await stores.pins.change(to: PIN("222222"), of: person.id, by: .password(person)) == .right)
            #expect(try await stores.pins.check(PIN("222222"), of: person.id) == .right)
        }
    }

    @Test("IM-15 an ended session, or another person's, cannot remove a PIN")
    func isNotRemovedByEndedSession() async throws {
        try await ImmichFixture.with { fixture in
            let (stores, person) = (fixture.base.gateway.stores, try await fixture.person())
            try await stores.pins.set(PIN("111111"), of: person.id)
            _ = try await fixture.token()
            let session = try await fixture.session()
            let other = try await stores.people.add(email: "bob@example.org", password: Secret("another long password"))
            try await stores.pins.set(PIN("444444"), of: other.id)
            #expect(try await stores.pins.remove(of: other.id, by: .session(session)) == .wrong)

            _ = try await stores.sessions.revoke(session)

            #expect(try await stores.pins.remove(of: person.id, by: .session(session)) == .wrong)
            #expect(try await stores.pins.isSet(person.id))
            _ = try await fixture.token()
            #expect(try await stores.pins.remove(of: person.id, by: .session(fixture.session())) == .right)
            #expect(try await stores.pins.remove(of: person.id, by: .session(fixture.session())) == .notSet)
        }
    }
}
