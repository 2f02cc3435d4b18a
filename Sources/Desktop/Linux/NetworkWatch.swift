internal import FoundationEssentials
internal import Synchronization

/// Reports changes of the network state, from NetworkManager. The name of the Wi-Fi network is from NetworkManager or
/// iwd.
///
/// Without NetworkManager the network is assumed to be connected and not metered.
///
/// Source: NetworkManager's D-Bus interface, `org.freedesktop.NetworkManager`; DL-17, IM-13.
package struct NetworkWatch: Sendable {
    private let address: BusAddress
    private let routes: String

    /// Creates a watch.
    ///
    /// - Parameter environment: The variables that locate the services of the system.
    package init(_ environment: [String: String]) { self.init(environment, routes: "/proc/net") }

    init(_ environment: [String: String], routes: String) {
        address = .system(environment)
        self.routes = routes
    }

    /// The current state, followed by each change. A slow consumer receives only the latest state. The watch ends with
    /// the stream.
    package var states: AsyncStream<NetworkState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let query = NetworkQuery(numbers: NetworkNumbers(routes: routes)) { continuation.yield($0) }
            let handler = BusWatcher.Handler(
                connected: { query.record(query.currentState($0)) },
                received: { _, connection in query.record(query.currentState(connection)) },
                disconnected: { query.record(.unwatched) })
            guard let watcher = BusWatcher(address, rules: NetworkQuery.rules, handler: handler) else {
                continuation.yield(.unwatched)
                return
            }
            continuation.onTermination = { _ in watcher.stop() }
            watcher.start()
        }
    }
}

/// The queries of one stream, on the thread of its watcher.
private final class NetworkQuery: Sendable {
    private static let service = "org.freedesktop.NetworkManager"
    private static let path = "/org/freedesktop/NetworkManager"
    static let rules = [
        "type='signal',sender='\(WifiName.iwd)',interface='org.freedesktop.DBus.Properties'",
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(WifiName.iwd)'",
        "type='signal',sender='\(service)',path='\(path)',interface='org.freedesktop.DBus.Properties'",
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(service)'",
    ]

    private let report: @Sendable (NetworkState) -> Void
    private let numbers: Mutex<NetworkNumbers>
    private let reported = Mutex<NetworkState?>(nil)

    init(numbers: NetworkNumbers, report: @escaping @Sendable (NetworkState) -> Void) {
        self.numbers = Mutex(numbers)
        self.report = report
    }

    func currentState(_ connection: BusConnection) -> NetworkState {
        var network = NetworkState.unwatched
        if let state = number("State", connection) {
            let metered = number("Metered", connection) ?? 0
            network = numbers.withLock { $0.state(state, metered: metered) }
        }
        network.wifiName = WifiName.read(connection)
        return network
    }

    private func number(_ name: String, _ connection: BusConnection) -> UInt32? {
        connection.property(name, of: Self.service, at: Self.path, service: Self.service)?.variantUInt32()
    }

    func record(_ state: NetworkState) {
        let isNew = reported.withLock { reported in
            defer { reported = state }
            return reported != state
        }
        if isNew { report(state) }
    }
}
