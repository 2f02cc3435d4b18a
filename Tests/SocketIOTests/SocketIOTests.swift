import HTTPMessages
import TestSupport
import Testing

@testable import SocketIO

@Suite("Packets of Socket.IO")
struct SocketIOTests {
    @Test(
        "IM-6 packets keep their meaning when they are written and parsed",
        arguments: [
            (SocketIOPacket(.connect), "0"),
            (SocketIOPacket(.connect, payload: ["sid": "x"]), #"0{"sid":"x"}"#),
            (SocketIOPacket(.connect, namespace: "/admin"), "0/admin,"),
            (SocketIOPacket(.disconnect), "1"),
            (SocketIOPacket(event: "on_session_delete", ["7"]), #"2["on_session_delete","7"]"#),
            (SocketIOPacket(.event, namespace: "/a", acknowledgmentID: 12, payload: ["x"]), #"2/a,12["x"]"#),
            (SocketIOPacket(.acknowledgment, acknowledgmentID: 3, payload: []), "33[]"),
            (SocketIOPacket(.connectError, payload: ["message": "no"]), #"4{"message":"no"}"#),
        ])
    func packets(_ packet: SocketIOPacket, _ text: String) {
        #expect(packet.text == text)
        #expect(SocketIOPacket(text) == packet)
    }

    @Test(
        "IM-6 the namespace ends at the first comma, also beside a mark that joins it",
        arguments: JoiningMarks.all)
    func joinedComma(_ mark: String) {
        let packet = SocketIOPacket(.event, namespace: "/a\(mark)", payload: ["x"])
        #expect(SocketIOPacket(#"2/a\#(mark),["x"]"#) == packet)
        #expect(SocketIOPacket(#"2/a,\#(mark)["x"]"#) == nil)
    }

    @Test("IM-6 the packets of Engine.IO keep their meaning when they are written and parsed")
    func transport() throws {
        let open = #"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#
        let handshake = EngineIOHandshake(
            id: "a", pingInterval: .seconds(25), pingTimeout: .seconds(20), maximumPayload: 1_000_000)
        #expect(EngineIOPacket(open) == .open(handshake))
        for text in [open, "1", "2", "2probe", "3", "40", "6"] { #expect(EngineIOPacket(text)?.text == text) }
    }

    @Test(
        "IM-6 other text is no packet",
        arguments: ["", "5", "7", "x", "0", "0{}", "0[]", #"0{"sid":"a","pingInterval":0,"pingTimeout":1}"#])
    func invalidTransport(_ text: String) {
        #expect(EngineIOPacket(text) == nil)
    }

    @Test(
        "IM-6 packets with binary parts, of an unknown type and with other content are refused",
        arguments: ["", "5", "51-[]", "9", "2[", "2x", "2\"a", "299999999999999999999[]", "212 7", "2null"])
    func invalid(_ text: String) {
        #expect(SocketIOPacket(text) == nil)
    }

    @Test("IM-6 an event has a name and arguments, other packets have none")
    func events() {
        #expect(SocketIOPacket(#"2["a",1]"#)?.event?.name == "a")
        #expect(SocketIOPacket(#"2["a",1]"#)?.event?.arguments == [1])
        #expect(SocketIOPacket("2[1]")?.event == nil)
        #expect(SocketIOPacket("2{}")?.event == nil)
        #expect(SocketIOPacket("0")?.event == nil)
    }
}
