import Testing

@testable import GatewayCore

/// Source: OX-6; RFC 9700 §4.14.2.
struct RefreshTokenStateMachineTests {
    @Test("OX-6 a repeated refresh gets the same response until the successor is used")
    func repeated() {
        var machine = RefreshTokenStateMachine(generation: 4, hasSuccessor: false)
        #expect(machine.refresh(with: .current) == .issue(generation: 5))
        #expect(machine.refresh(with: .current) == .repeatResponse)
        #expect(machine.refresh(with: .current) == .repeatResponse)
        #expect(machine.refresh(with: .successor) == .issue(generation: 6))
        #expect(machine == RefreshTokenStateMachine(generation: 5, hasSuccessor: true))
    }

    @Test("OX-6 the first use of an access token makes its refresh token the current one, once")
    func used() {
        var machine = RefreshTokenStateMachine(generation: 4, hasSuccessor: true)
        let promoted = [4, 6, 5, 5].map { machine.use($0) }
        #expect(promoted == [false, false, true, false])
        #expect(machine == RefreshTokenStateMachine(generation: 5, hasSuccessor: false))
    }

    @Test("OX-6 an old token ends the session in every state, and an unknown one changes nothing")
    func oldOrUnknown() {
        for hasSuccessor in [false, true] {
            var machine = RefreshTokenStateMachine(generation: 4, hasSuccessor: hasSuccessor)
            #expect(machine.refresh(with: .old) == .endSession)
            #expect(machine.refresh(with: .unknown) == .refuse)
            #expect(machine == RefreshTokenStateMachine(generation: 4, hasSuccessor: hasSuccessor))
        }
    }
}
