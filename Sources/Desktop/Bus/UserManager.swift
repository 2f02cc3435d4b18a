/// The person's own manager of services: what it has started outlives terminals, and is started again after a crash.
///
/// Source: org.freedesktop.systemd1(5), `Reload`, `StartUnit`.
actor UserManager {
    private let executor = BusExecutor("latchstring.units")
    private let address: BusAddress

    /// Its own thread: the bus may let it wait.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ bus: BusAddress) { address = bus }

    /// Makes systemd read the unit files again and start a service, and returns whether systemd accepted both. Every process
    /// that may ask systemd can read the service's arguments and environment.
    func start(_ service: String) -> Bool {
        guard let connection = BusConnection(address), connection.call(Self.method("Reload"), starts: false) != nil
        else {
            return false
        }
        let answer = connection.call(Self.method("StartUnit"), starts: false) { message in
            message.append(service)
            message.append("replace")
        }
        return answer != nil
    }

    private static func method(_ name: String) -> BusMethod {
        BusMethod(
            service: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
            interface: "org.freedesktop.systemd1.Manager", name: name)
    }
}
