import Testing

@testable import LatchKit

/// The count of wrong tries, without time that passes.
@Suite struct LockTryTests {
    private static func time(_ seconds: Int, boot: String = "first") -> BootTime {
        BootTime(boot: boot, uptime: .seconds(seconds))
    }

    @Test("IM-15 the pauses between wrong tries grow, and after ten tries the key is deleted")
    func pauses() {
        var (tries, now, pauses) = (LockTryStateMachine(), 1000, [Int]())
        while true {
            switch tries.begin(at: Self.time(now)) {
            case .check: continue
            case .wait(let pause):
                pauses.append(Int(pause.components.seconds))
                now += pauses[pauses.count - 1]
                continue
            case .forget: break
            }
            break
        }
        #expect(pauses == [15, 30, 60, 120, 300, 900, 1800])
        #expect(tries.left == 0 && tries.failures == LockTryStateMachine.limit)
    }

    @Test("IM-15 a pause is not over one millisecond before its end, and a restart begins it again")
    func restart() {
        var tries = LockTryStateMachine()
        for _ in 0..<3 { #expect(tries.begin(at: Self.time(1000)) == .check) }
        #expect(tries.pause(at: Self.time(1015)) == .zero)
        #expect(tries.pause(at: BootTime(boot: "first", uptime: .milliseconds(1_014_999))) == .milliseconds(1))
        #expect(tries.begin(at: Self.time(5, boot: "second")) == .wait(.seconds(10)))
        #expect(tries.pause(at: Self.time(900)) == .seconds(15))
        #expect(tries.begin(at: Self.time(15, boot: "second")) == .check)
    }

    @Test("IM-15 a right PIN resets the count")
    func success() {
        var tries = LockTryStateMachine()
        for _ in 0..<2 { _ = tries.begin(at: Self.time(1)) }
        tries.succeeded()
        #expect(tries == LockTryStateMachine())
    }

    @Test("IM-15 each phase names the work that a killed program left behind")
    func phases() {
        var phase = LockPhaseStateMachine()
        #expect(phase.unfinished == .seal && phase.sealsSecrets)
        #expect(phase.finished() == .store && phase.unfinished == nil)
        phase.replaceKey()
        #expect(phase.unfinished == .seal)
        phase.remove()
        #expect(phase.unfinished == .unseal && !phase.sealsSecrets && phase.finished() == .delete)
        phase.forget()
        #expect(phase.unfinished == .signOut && phase.isForgotten && phase.finished() == .delete)
    }
}
