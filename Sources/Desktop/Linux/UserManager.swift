/// The user's systemd instance. The services that it starts keep running when a terminal closes, and restart after a
/// crash.
///
/// Source: org.freedesktop.systemd1(5), `Reload`, `StartUnit`.
actor UserManager {
    private let executor = BusExecutor("latchstring.units")
    private let address: BusAddress

    /// The actor's own executor, because calls to the bus block.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ environment: [String: String]) { address = .session(environment) }

    /// Reloads systemd's unit files and starts a service. Returns whether systemd accepted both. Every process that can
    /// call systemd can read the arguments and environment of the service.
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
