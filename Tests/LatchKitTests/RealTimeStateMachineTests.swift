import HTTPMessages
import Testing

@testable import LatchKit

@Suite struct RealTimeStateMachineTests {
    private let start = ContinuousClock.now
    private static let open =
        #"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#

    private func machine(_ random: Double = 0) -> RealTimeStateMachine {
        RealTimeStateMachine(random: { random }) { ImmichDialect().event($0, $1) }
    }

    /// A machine that is connected since `start`.
    private func connected() -> RealTimeStateMachine {
        var machine = machine()
        _ = machine.start()
        _ = machine.opened(in: 1, at: start)
        _ = machine.received(Self.open, in: 1, at: start)
        _ = machine.received(#"40{"sid":"t"}"#, in: 1, at: start)
        return machine
    }

    @Test("IM-6 The packets of both protocols lead to a connection")
    func handshake() {
        var machine = machine()
        #expect(machine.start() == [.connect(attempt: 1)])
        #expect(machine.start() == [])
        #expect(machine.opened(in: 1, at: start) == [])
        #expect(machine.received(Self.open, in: 1, at: start) == [.send("40")])
        #expect(machine.received(#"40{"sid":"t"}"#, in: 1, at: start) == [.report(.connected)])
        #expect(machine.received(#"42["on_config_update"]"#, in: 1, at: start) == [.report(.event(.configUpdated))])
    }

    @Test(
        "IM-6 Every event of Immich has its type, and an unknown one passes through",
        arguments: [
            (#"["on_session_delete","a"]"#, RealTimeEvent.sessionDeleted(id: "a")),
            (#"["on_upload_success",{"id":"a"}]"#, .assetAdded(id: "a")),
            (#"["AssetUploadReadyV1",{"asset":{"id":"a"},"exif":{}}]"#, .assetAdded(id: "a")),
            (#"["AssetUploadReadyV2",{"asset":{"id":"a"},"exif":{}}]"#, .assetAdded(id: "a")),
            (#"["on_asset_update",{"id":"a"}]"#, .assetChanged(id: "a")),
            (#"["AssetEditReadyV2",{"asset":{"id":"a"}}]"#, .assetChanged(id: "a")),
            (#"["on_asset_delete","a"]"#, .assetsDeleted(ids: ["a"])),
            (#"["on_asset_trash",["a","b"]]"#, .assetsTrashed(ids: ["a", "b"])),
            (#"["on_asset_restore",["a"]]"#, .assetsRestored(ids: ["a"])),
            (#"["on_asset_hidden","a"]"#, .assetsHidden(ids: ["a"])),
            (#"["on_asset_stack_update"]"#, .stacksChanged),
            (#"["on_server_version",{"major":3,"minor":1,"patch":0}]"#, .serverVersion("3.1.0")),
            (
                #"["on_new_release",{"isAvailable":true,"releaseVersion":{"major":3,"minor":2,"patch":0}}]"#,
                .newRelease("3.2.0", isAvailable: true)
            ),
            (#"["on_config_update"]"#, .configUpdated),
            (#"["on_person_thumbnail","p"]"#, .other(name: "on_person_thumbnail", arguments: #"["p"]"#)),
            (#"["on_asset_trash",[1]]"#, .other(name: "on_asset_trash", arguments: "[[1]]")),
        ])
    func events(_ text: String, _ event: RealTimeEvent) {
        var machine = connected()
        #expect(machine.received("42" + text, in: 1, at: start).first == .report(.event(event)))
    }

    @Test("IM-6 A ping is answered, and a missing ping ends the connection")
    func heartbeat() {
        var machine = connected()
        #expect(machine.received("2", in: 1, at: start + .seconds(25)) == [.send("3")])
        #expect(machine.timePassed(at: start + .seconds(69)) == [])
        let actions = machine.timePassed(at: start + .seconds(70))
        #expect(actions.first == .disconnect && actions.count == 2)
        #expect(machine.state == .waiting)
    }

    @Test("IM-6 Pauses grow from 1 second to 5 minutes, and a loss is reported once", arguments: [0.0, 1.0])
    func backOff(_ random: Double) {
        var (machine, now, pauses) = (machine(random), start, [Duration]())
        _ = machine.start()
        for attempt in 1...12 {
            let actions = machine.lost("gone", in: attempt, at: now)
            #expect(actions == [.disconnect] + (attempt == 1 ? [.report(.disconnected("gone"))] : []))
            let next = machine.deadline ?? now
            pauses.append(now.duration(to: next))
            now = next
            #expect(machine.timePassed(at: now) == [.connect(attempt: attempt + 1)])
        }
        #expect(pauses.first == .seconds(1 + random) && pauses[1] == .seconds(2 * (1 + random)))
        #expect(pauses.last == .seconds(150 * (1 + random)))
    }

    @Test("IM-6 Only a stable connection resets the pauses", arguments: [(59, 2), (60, 1)])
    func reset(_ seconds: Int, _ pause: Int) {
        var machine = machine()
        _ = machine.start()
        _ = machine.lost("gone", in: 1, at: start)
        _ = machine.timePassed(at: start + .seconds(1))
        let now = start + .seconds(1)
        _ = machine.opened(in: 2, at: now)
        _ = machine.received(Self.open, in: 2, at: now)
        _ = machine.received("40", in: 2, at: now)
        let end = now + .seconds(seconds)
        _ = machine.lost("gone", in: 2, at: end)
        #expect(machine.deadline == end + .seconds(pause))
    }

    @Test("IM-6 The end of a session is checked once per connection")
    func sessionDeleted() {
        var machine = connected()
        let event = #"42["on_session_delete","a"]"#
        let report = RealTimeStateMachine.Action.report(.event(.sessionDeleted(id: "a")))
        #expect(machine.received(event, in: 1, at: start) == [report, .checkSession(attempt: 1)])
        #expect(machine.received(event, in: 1, at: start) == [report])
        #expect(machine.checked(.valid, in: 1, at: start) == [])
        #expect(machine.state == .connected)
    }

    @Test(
        "IM-6 A refusal is checked once before the next attempt",
        arguments: [#"42["error","unauthorized"]"#, #"44{"message":"unauthorized"}"#])
    func refused(_ text: String) {
        var machine = connected()
        #expect(machine.received(text, in: 1, at: start) == [.disconnect, .checkSession(attempt: 1)])
        #expect(machine.received("41", in: 1, at: start) == [])
        #expect(machine.lost("gone", in: 1, at: start) == [])
        _ = machine.checked(.valid, in: 1, at: start)
        #expect(machine.state == .waiting)
    }

    @Test("IM-6 A refusal after an event waits for the check in progress, or makes one", arguments: [true, false])
    func refusedAfterEvent(_ isInProgress: Bool) {
        var machine = connected()
        _ = machine.received(#"42["on_session_delete","a"]"#, in: 1, at: start)
        if !isInProgress { _ = machine.checked(.valid, in: 1, at: start) }
        let actions = machine.received(#"42["error","unauthorized"]"#, in: 1, at: start)
        #expect(actions == [.disconnect] + (isInProgress ? [] : [.checkSession(attempt: 1)]))
        _ = machine.checked(.valid, in: 1, at: start)
        #expect(machine.state == .waiting && machine.deadline != nil)
    }

    @Test("IM-6 Without a network nothing is tried, and with one it is tried at once")
    func offline() {
        var machine = connected()
        #expect(
            machine.networkChanged(isConnected: false)
                == [.disconnect, .report(.disconnected("There is no network."))])
        #expect(machine.deadline == nil && machine.lost("gone", in: 1, at: start) == [])
        #expect(machine.networkChanged(isConnected: true) == [.connect(attempt: 3)])
    }

    @Test(
        "IM-6 Garbage ends the connection",
        arguments: ["", "x", "4", "5", "0{}", "b4AAAA", #"0{"sid":"s","pingInterval":1,"pingTimeout":1}"#])
    func garbage(_ text: String) {
        var machine = connected()
        let isIgnored = text == "4"
        #expect(machine.received(text, in: 1, at: start).isEmpty == isIgnored)
        #expect(machine.state == (isIgnored ? .connected : .waiting))
    }

    @Test("IM-6 Nothing has an effect after the end, and results of earlier attempts have none")
    func late() {
        var machine = connected()
        #expect(machine.end() == [.disconnect])
        #expect(machine.end() == [] && machine.networkChanged(isConnected: false) == [])
        #expect(machine.received("2", in: 1, at: start) == [] && machine.refused(in: 1) == [])
        #expect(machine.timePassed(at: start + .seconds(1_000)) == [] && machine.start() == [])
    }

    @Test("IM-15 After the unlocking a pause ends at once, and nothing else changes")
    func unlocked() {
        var machine = connected()
        #expect(machine.unlocked() == [])
        _ = machine.lost("locked", in: 1, at: start)
        #expect(machine.unlocked() == [.connect(attempt: 2)])
        #expect(machine.unlocked() == [])
        _ = machine.networkChanged(isConnected: false)
        #expect(machine.unlocked() == [])
        _ = machine.end()
        #expect(machine.unlocked() == [])
    }
}
