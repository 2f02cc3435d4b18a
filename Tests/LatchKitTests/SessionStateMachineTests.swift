import Testing

@testable import LatchKit

@Suite struct SessionStateMachineTests {
    private func signedIn() -> SessionStateMachine {
        var machine = SessionStateMachine()
        machine.found()
        return machine
    }

    @Test("OX-14 being offline ends no session, and a verified session stays verified")
    func offline() {
        var machine = signedIn()
        machine.unanswered(.nameNotFound, in: machine.epoch)
        #expect(machine.state == .signedIn(.unverified(.nameNotFound)))

        machine.verified(in: machine.epoch)
        machine.unanswered(.timedOut, in: machine.epoch)
        #expect(machine.state == .signedIn(.verified))
    }

    @Test("a locked secret store does not sign the account out")
    func locked() {
        var machine = SessionStateMachine()
        machine.couldNotRead(.secretStoreLocked)
        #expect(machine.state == .unavailable(.secretStoreLocked))

        machine.found()
        #expect(machine.state.isSignedIn)
    }

    @Test("OX-11 one renewal starts, others join it, and a new one may start afterwards")
    func refresh() {
        var machine = signedIn()
        let action9 = machine.requestRefresh()
        #expect(action9 == .start(epoch: machine.epoch))
        let action10 = machine.requestRefresh()
        #expect(action10 == .join)
        let answer1 = machine.refreshEnded(in: machine.epoch)
        #expect(answer1)
        let action11 = machine.requestRefresh()
        #expect(action11 == .start(epoch: machine.epoch))
    }

    @Test("TT-7 a session ends once")
    func endsOnce() {
        var machine = signedIn()
        let epoch = machine.epoch
        let answer2 = machine.ended("x", in: epoch)
        #expect(answer2)
        let answer3 = machine.ended("x", in: epoch)
        #expect(!answer3)
        #expect(machine.state == .signedOut(.ended("x")))
        let action12 = machine.requestRefresh()
        #expect(action12 == .refuse(.signedOut(.ended("x"))))
    }

    @Test("late responses of an earlier session change nothing (invariant 5)")
    func late() {
        var machine = signedIn()
        let old = machine.epoch
        _ = machine.requestRefresh()
        let answer4 = machine.requestSignOut()
        #expect(answer4)
        machine.signedOut()
        machine.found()
        let action13 = machine.requestRefresh()
        #expect(action13 == .start(epoch: machine.epoch))

        let answer5 = machine.refreshEnded(in: old)
        #expect(!answer5)
        let answer6 = machine.ended("late", in: old)
        #expect(!answer6)
        machine.verified(in: old)
        machine.unanswered(.timedOut, in: old)

        #expect(machine.state == .signedIn(.unverified(nil)))
        #expect(machine.isRefreshing)
    }

    @Test("nothing interrupts signing out")
    func signingOut() {
        var machine = signedIn()
        let answer7 = machine.requestSignOut()
        #expect(answer7)
        let answer8 = machine.requestSignOut()
        #expect(!answer8)
        machine.found()
        machine.couldNotRead(.secretStoreLocked)
        machine.foundNone(.ended("x"))
        #expect(machine.state == .signingOut)
        machine.signedOut()
        #expect(machine.state == .signedOut(.notSignedIn))
    }
}
