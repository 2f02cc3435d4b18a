import Testing

@testable import LatchKit

/// The race between the addresses of a server, without sockets.
@Suite struct EndpointStateMachineTests {
    private var machine = EndpointStateMachine()

    @Test("IM-13 the preferred address has a head start and wins when it responds a little later than another")
    mutating func preferred() {
        _ = machine.begin(3)
        _ = machine.headStartEnded(of: 0, in: 1)
        _ = machine.headStartEnded(of: 1, in: 1)
        #expect(machine.answered(2, passes: true, in: 1) == [.waitForPreferred(to: 2, race: 1)])
        #expect(machine.answered(1, passes: true, in: 1).isEmpty, "the first one may still respond")
        #expect(machine.answered(0, passes: true, in: 1) == [.finish(0)])
        #expect(machine.preferenceEnded(in: 1).isEmpty)
    }

    @Test("IM-13 no address waits for a less preferred one, or for a preferred one that has failed")
    mutating func unpreferred() {
        _ = machine.begin(3)
        _ = machine.headStartEnded(of: 0, in: 1)
        _ = machine.headStartEnded(of: 1, in: 1)
        #expect(machine.answered(1, passes: true, in: 1) == [.waitForPreferred(to: 1, race: 1)])
        #expect(machine.answered(0, passes: false, in: 1) == [.finish(1)])
    }

    @Test("IM-13 a preferred address that does not respond delays another one for a short time only")
    mutating func headStart() {
        #expect(machine.begin(3) == [.ask(0, race: 1), .waitAfter(0, race: 1)])
        #expect(machine.headStartEnded(of: 0, in: 1) == [.ask(1, race: 1), .waitAfter(1, race: 1)])
        #expect(machine.answered(1, passes: true, in: 1) == [.waitForPreferred(to: 1, race: 1)])
        #expect(machine.headStartEnded(of: 1, in: 1).isEmpty, "a less preferred one is not asked any more")
        #expect(machine.preferenceEnded(in: 0).isEmpty, "an earlier race")
        #expect(machine.preferenceEnded(in: 1) == [.finish(1)])
        #expect(machine.state == .decided(1))
        #expect(machine.answered(0, passes: true, in: 1).isEmpty, "the later response changes nothing")
        #expect(machine.headStartEnded(of: 1, in: 1).isEmpty)
        #expect(machine.state == .decided(1))
    }

    @Test("IM-13 after a failure the next address is asked immediately, and its head start is not given twice")
    mutating func failure() {
        _ = machine.begin(3)
        #expect(machine.answered(0, passes: false, in: 1) == [.ask(1, race: 1), .waitAfter(1, race: 1)])
        #expect(machine.headStartEnded(of: 0, in: 1).isEmpty)
        #expect(machine.headStartEnded(of: 1, in: 1) == [.ask(2, race: 1)])
        #expect(machine.answered(2, passes: false, in: 1).isEmpty, "another address may still respond")
        #expect(machine.answered(1, passes: false, in: 1) == [.finish(nil)])
        #expect(machine.state == .decided(nil))
    }

    @Test("IM-13 results of an earlier race change nothing")
    mutating func late() {
        _ = machine.begin(2)
        #expect(machine.begin(2) == [.ask(0, race: 2), .waitAfter(0, race: 2)])
        #expect(machine.answered(0, passes: true, in: 1).isEmpty)
        #expect(machine.answered(0, passes: false, in: 1).isEmpty)
        #expect(machine.headStartEnded(of: 0, in: 1).isEmpty)
        #expect(machine.state == .racing(count: 2, asked: 1, running: [0], best: nil))
        #expect(machine.answered(0, passes: true, in: 2) == [.finish(0)])
    }

    @Test("IM-13 a race without candidates ends with none")
    mutating func none() { #expect(machine.begin(0) == [.finish(nil)]) }
}
