import HTTPMessages
import SocketIO
import Testing

@testable import GatewayDialects

/// The heartbeat and the packets of a real-time connection, without a clock.
@Suite("The state of a real-time connection")
struct ImmichRealTimeStateTests {
    private func connected() -> ImmichRealTimeStateMachine {
        var machine = ImmichRealTimeStateMachine(id: "id", isAuthorized: true)
        #expect(machine.receive("40").count == 2)
        return machine
    }

    @Test("IM-6 the handshake names the heartbeat")
    func handshake() {
        let machine = ImmichRealTimeStateMachine(id: "id", isAuthorized: true)
        guard case .send(let text)? = machine.start().first, case .open(let handshake)? = EngineIOPacket(text) else {
            Issue.record("There is no handshake.")
            return
        }
        #expect(handshake.pingInterval == .seconds(25) && handshake.pingTimeout == .seconds(20))
        #expect(handshake.id == "id" && handshake.maximumPayload == 1_000_000)
    }

    @Test("IM-6 a ping is sent every 25 seconds, and a missing pong ends the connection after 20 more")
    func heartbeat() {
        var machine = connected()
        #expect(machine.advance(by: .seconds(24)) == [])
        #expect(machine.advance(by: .seconds(1)) == [.send("2")])
        #expect(machine.receive("3") == [])
        #expect(machine.advance(by: .seconds(25)) == [.send("2")])
        #expect(machine.advance(by: .seconds(19)) == [])
        #expect(machine.advance(by: .seconds(1)) == [.close])
        #expect(machine.advance(by: .seconds(25)) == [])
    }

    @Test("IM-6 a client that does not connect to the namespace is disconnected")
    func silent() {
        var machine = ImmichRealTimeStateMachine(id: "id", isAuthorized: true)
        #expect(machine.advance(by: .seconds(24)) == [])
        #expect(machine.advance(by: .seconds(1)) == [.close])
    }

    @Test("IM-6 events of the client are ignored, and packets that are none end the connection")
    func packets() {
        var machine = connected()
        #expect(machine.receive(#"42["anything",1]"#) == [])
        #expect(machine.receive(#"420["anything"]"#) == [])
        #expect(machine.receive("6") == [])
        #expect(machine.receive("40") == [])
        for text in ["", "x", "4", "49", "1", "41"] {
            var machine = connected()
            #expect(machine.receive(text) == [.close])
            #expect(machine.receive("40") == [])
        }
    }

    @Test("IM-6 a client that sends more than 64 packets between two pings is disconnected")
    func flood() {
        var machine = connected()
        for _ in 1..<ImmichRealTimeStateMachine.maximumPackets { #expect(machine.receive("6") == []) }
        #expect(machine.receive("6") == [.close])
    }

    @Test("IM-6 before the client has connected to the namespace it gets no events")
    func noEvents() {
        var machine = ImmichRealTimeStateMachine(id: "id", isAuthorized: true)
        let event = SocketIOPacket(event: "on_session_delete", ["id"])
        #expect(machine.end(with: event) == [.close])
        #expect(machine.end(with: event) == [])
    }
}
