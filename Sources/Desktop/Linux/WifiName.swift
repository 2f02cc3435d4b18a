/// Reads the name (SSID) of the Wi-Fi network that this machine is connected to.
///
/// A name that is not valid UTF-8 is treated as unknown, because nobody can enter it.
///
/// Source: IEEE 802.11, SSID: at most 32 bytes; IM-13.
enum WifiName {
    /// The bus name of iwd.
    static let iwd = "net.connman.iwd"
    private static let manager = "org.freedesktop.NetworkManager"
    private static let managerPath = "/org/freedesktop/NetworkManager"
    /// The maximum number of active connections that are examined.
    private static let maximumConnections = 16

    /// Returns the name that NetworkManager reports, otherwise the one that iwd reports. Nil when neither does.
    static func read(_ connection: BusConnection) -> String? {
        fromNetworkManager(connection) ?? fromIWD(connection)
    }

    /// Source: NetworkManager's D-Bus interface, `ActiveConnections`, `SpecificObject`, `Ssid`.
    private static func fromNetworkManager(_ bus: BusConnection) -> String? {
        let active = manager + ".Connection.Active"
        let all =
            bus.property("ActiveConnections", of: manager, at: managerPath, service: manager)?.variantPaths() ?? []
        for path in all.prefix(maximumConnections) {
            guard
                bus.property("Type", of: active, at: path, service: manager)?.variantString() == "802-11-wireless",
                let point = bus.property("SpecificObject", of: active, at: path, service: manager)?.variantPath(),
                let name = bus.property("Ssid", of: manager + ".AccessPoint", at: point, service: manager)?
                    .variantBytes()
            else { continue }
            return String(validating: name, as: UTF8.self).flatMap { $0.isEmpty ? nil : $0 }
        }
        return nil
    }

    /// Source: iwd, doc/station-api.txt and doc/network-api.txt; D-Bus Specification,
    /// "org.freedesktop.DBus.ObjectManager".
    private static func fromIWD(_ bus: BusConnection) -> String? {
        let method = BusMethod(
            service: iwd, path: "/", interface: "org.freedesktop.DBus.ObjectManager", name: "GetManagedObjects")
        guard let objects = bus.call(method, starts: false), let network = connectedNetwork(objects) else { return nil }
        return bus.property("Name", of: iwd + ".Network", at: network, service: iwd)?.variantString()
    }

    private static func connectedNetwork(_ objects: BusMessage) -> String? {
        var network: String?
        objects.entries(of: "oa{sa{sv}}") {
            _ = objects.path()
            objects.entries(of: "sa{sv}") {
                guard objects.string() == iwd + ".Station" else { return objects.skip("a{sv}") }
                objects.entries(of: "sv") {
                    guard objects.string() == "ConnectedNetwork" else { return objects.skip("v") }
                    network = objects.variantPath() ?? network
                }
            }
        }
        return network
    }
}
