import Crypto
import FoundationEssentials
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

/// What happens between the proof of who somebody is and the write that it allows.
@Suite(.timeLimit(.minutes(20)))
struct PasswordChangeRaceTests {
    private static let chosen = Secret("a better horse 8")

    @Test(
        "IM-12 a pending password change does not undo a concurrent change by an administrator",
        arguments: ["reset", "disable", "end all", "end one"], [true, false])
    func concurrentAdministratorChange(_ action: String, _ isForced: Bool) async throws {
        try await ImmichFixture.with { fixture in
            let stores = fixture.base.gateway.stores
            let id = try await fixture.person().id
            if isForced {
                try await stores.people.setPassword(Secret(GatewayFixture.password), of: id, mustChange: true)
            }
            _ = try await fixture.token()
            let (proved, session) = (try await fixture.person(), try await fixture.session())
            switch action {
            case "reset": try await stores.people.setPassword(Secret("the admin's own 7"), of: id, mustChange: true)
            case "disable":
                try await stores.people.disable(id)
                try await stores.people.enable(id)
            case "end all": try await stores.sessions.revokeAll(of: id)
            default: try await stores.sessions.revoke(session)
            }
            for keepingSession in [true, false] {
                let error = await #expect(throws: GatewayError.self) {
                    try await stores.people.choosePassword(
                        Self.chosen, of: proved, by: session, keepingSession: keepingSession, isForced: isForced)
                }
                #expect(error?.code == .unknownPerson)
            }
            #expect(try await fixture.login(password: Self.chosen.reveal()).status == 401)
            let password = action == "reset" ? "the admin's own 7" : GatewayFixture.password
            #expect(try await fixture.login(password: password).status == 201)
        }
    }

    @Test("IM-12 a required password can be chosen only once")
    func once() async throws {
        try await ImmichFixture.with { fixture in
            let people = fixture.base.gateway.stores.people
            try await people.setPassword(
                Secret(GatewayFixture.password), of: try await fixture.person().id, mustChange: true)
            _ = try await fixture.token()
            let (proved, session) = (try await fixture.person(), try await fixture.session())
            let changed = try await people.choosePassword(Self.chosen, of: proved, by: session, isForced: true)
            #expect(!changed.mustChangePassword)
            for person in [proved, changed] {
                await #expect(throws: GatewayError.self) {
                    try await people.choosePassword(
                        Secret("yet another 99"), of: person, by: session, isForced: true)
                }
            }
            #expect(try await fixture.login(password: Self.chosen.reveal()).status == 201)
        }
    }

    @Test("IM-15 a session that ended in the meantime cannot set a first PIN")
    func firstPIN() async throws {
        try await ImmichFixture.with { fixture in
            let (stores, person) = (fixture.base.gateway.stores, try await fixture.person())
            _ = try await fixture.token()
            let session = try await fixture.session()
            try await stores.sessions.revoke(session)
            let error = await #expect(throws: GatewayError.self) {
                try await stores.pins.set(PIN("123456"), of: person.id, by: session)
            }
            #expect(error?.code == .unknownPerson)
            #expect(try await !stores.pins.isSet(person.id))
        }
    }
}
