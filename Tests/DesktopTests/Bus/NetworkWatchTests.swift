import TestSupport
import Testing

@testable import Desktop

/// The network's going and coming, over a real bus.
@Suite(.timeLimit(.minutes(20))) struct NetworkWatchTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test(
        "DL-17 a lost, returned or metered network is reported; without NetworkManager it is always connected")
    func changes() async throws {
        let desktop = try await MockDesktop(.network)
        var states = NetworkWatch(desktop.environment, routes: folder.path).states.makeAsyncIterator()

        #expect(await states.next() == NetworkState(isConnected: true, isMetered: false))
        try await desktop.setNetwork(state: 20)
        #expect(await states.next() == NetworkState(isConnected: false, isMetered: false))
        try await desktop.setNetwork(state: 70, metered: 1)
        #expect(await states.next() == NetworkState(isConnected: true, isMetered: true))
        await desktop.kill(.network)
        #expect(await states.next() == .unwatched)
    }

    @Test("IM-13 the name of the Wi-Fi network is reported by NetworkManager, with each change")
    func wifiName() async throws {
        let desktop = try await MockDesktop(.network)
        var states = NetworkWatch(desktop.environment, routes: folder.path).states.makeAsyncIterator()
        #expect(await states.next()?.wifiName == nil)
        try await desktop.joinWifi("Home sweet home")
        #expect(await states.next()?.wifiName == "Home sweet home")
        await desktop.kill(.network)
        #expect(await states.next() == .unwatched)
    }

    @Test("IM-13 without NetworkManager iwd reports the name")
    func wifiNameOfIWD() async throws {
        let desktop = try await MockDesktop(.iwd)
        #expect(await firstName(desktop) == nil)
        try await desktop.joinWifiWithIWD("Attic")
        #expect(await firstName(desktop) == "Attic")
    }

    private func firstName(_ desktop: MockDesktop) async -> String? {
        var states = NetworkWatch(desktop.environment, routes: folder.path).states.makeAsyncIterator()
        return await states.next()?.wifiName
    }

    @Test("DL-17 a network without internet access counts as connected, and a guess that it is metered counts")
    func numbers() {
        var numbers = NetworkNumbers(routes: folder.path)
        #expect(numbers.state(50, metered: 0) == NetworkState(isConnected: true, isMetered: false))
        #expect(numbers.state(60, metered: 3) == NetworkState(isConnected: true, isMetered: true))
        #expect(numbers.state(40, metered: 4) == NetworkState(isConnected: false, isMetered: false))
        #expect(numbers.state(10, metered: 2) == NetworkState(isConnected: false, isMetered: false))
    }

    @Test(
        "DL-17 if NetworkManager does not manage the network, the routes count until it has reported one",
        arguments: [
            (
                "route",
                "Iface Destination Gateway Flags\neth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n", true
            ),
            ("route", "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n", false),
            (
                "ipv6_route",
                "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
                    + "fe800000000000000000000000000001 00000400 00000001 00000000 00000003 wlan0\n", true
            ),
            (
                "ipv6_route",
                "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
                    + "00000000000000000000000000000000 ffffffff 00000001 00000000 00200200 lo\n", false
            ),
        ])
    func unmanaged(_ file: String, _ routes: String, _ isConnected: Bool) throws {
        try folder.write(routes, to: file)
        var numbers = NetworkNumbers(routes: folder.path)
        #expect(numbers.state(20, metered: 0).isConnected == isConnected)
        #expect(numbers.state(70, metered: 0).isConnected)
        #expect(!numbers.state(20, metered: 0).isConnected)
    }

    @Test("Bus addresses are read from the environment, with the usual defaults")
    func addresses() {
        #expect(BusAddress.session([:]).text == nil)
        #expect(BusAddress.session(["XDG_RUNTIME_DIR": "/run/user/10 0"]).text == "unix:path=/run/user/10%200/bus")
        #expect(BusAddress.session(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/b"]).text == "unix:path=/b")
        #expect(BusAddress.system([:]).text == "unix:path=/run/dbus/system_bus_socket")
    }
}
