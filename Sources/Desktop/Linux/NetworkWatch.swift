internal import FoundationEssentials
internal import Synchronization

/// Reports changes of the network state, from NetworkManager.
///
/// Without NetworkManager the network is assumed to be connected and not metered.
///
/// Source: NetworkManager's D-Bus interface, `org.freedesktop.NetworkManager`; DL-17.
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
        guard let state = property("State", connection) else { return .unwatched }
        let metered = property("Metered", connection) ?? 0
        return numbers.withLock { $0.state(state, metered: metered) }
    }

    private func property(_ name: String, _ connection: BusConnection) -> UInt32? {
        let method = BusMethod(
            service: Self.service, path: Self.path, interface: "org.freedesktop.DBus.Properties", name: "Get")
        return connection.call(method, starts: false) { message in
            message.append(Self.service)
            message.append(name)
        }?.variantUInt32()
    }

    func record(_ state: NetworkState) {
        let isNew = reported.withLock { reported in
            defer { reported = state }
            return reported != state
        }
        if isNew { report(state) }
    }
}
