import CLibrary
internal import FoundationEssentials
import Primitives
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
            let numbers = NetworkNumbers(routes: routes)
            guard let watcher = NetworkWatcher(address, numbers: numbers, report: { continuation.yield($0) }) else {
                continuation.yield(.unwatched)
                return
            }
            continuation.onTermination = { _ in watcher.stop() }
            SystemThread.detachOrEnd { watcher.run() }
        }
    }
}

/// The thread that watches for one stream.
private final class NetworkWatcher: Sendable {
    private static let service = "org.freedesktop.NetworkManager"
    private static let path = "/org/freedesktop/NetworkManager"
    private static let rules = [
        "type='signal',sender='\(WifiName.iwd)',interface='org.freedesktop.DBus.Properties'",
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(WifiName.iwd)'",
        "type='signal',sender='\(service)',path='\(path)',interface='org.freedesktop.DBus.Properties'",
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(service)'",
    ]
    /// The pause before reconnecting to a bus, in milliseconds.
    private static let pause: Int32 = 30_000

    private let address: BusAddress
    private let report: @Sendable (NetworkState) -> Void
    private let numbers: Mutex<NetworkNumbers>
    private let reported = Mutex<NetworkState?>(nil)
    /// The read end of a pipe. It becomes readable when ``stop()`` closes the write end.
    private let end: Int32
    private let writer: Mutex<Int32?>

    init?(_ address: BusAddress, numbers: NetworkNumbers, report: @escaping @Sendable (NetworkState) -> Void) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        end = ends[0]
        writer = Mutex(ends[1])
        self.address = address
        self.report = report
        self.numbers = Mutex(numbers)
    }

    deinit {
        stop()
        close(end)
    }

    func stop() {
        writer.withLock { writer in
            if let writer { close(writer) }
            writer = nil
        }
    }

    private var isStopped: Bool { writer.withLock { $0 == nil } }

    func run() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
        while !isStopped {
            if let connection = BusConnection(address) { watch(connection) }
            record(.unwatched)
            var waiting = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, Self.pause)
        }
    }

    /// Reports changes until the connection is lost or the watch stops.
    private func watch(_ connection: BusConnection) {
        // The subscription comes before the first query, so that no change is missed in between.
        guard Self.rules.allSatisfy(connection.listen) else { return }
        var isOld = true
        while !isStopped {
            do {
                while try connection.nextSignal() != nil { isOld = true }
            } catch {
                return
            }
            if isOld {
                isOld = false
                record(currentState(connection))
            } else {
                connection.wait(or: end)
            }
        }
    }

    private func currentState(_ connection: BusConnection) -> NetworkState {
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

    private func record(_ state: NetworkState) {
        let isNew = reported.withLock { reported in
            defer { reported = state }
            return reported != state
        }
        if isNew { report(state) }
    }
}
