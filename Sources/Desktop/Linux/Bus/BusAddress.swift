import CLibrary

/// The address of a message bus, from the environment.
///
/// Source: D-Bus Specification, "Server Addresses", "Message Bus Messages"; XDG Base Directory Specification.
struct BusAddress: Sendable, Hashable {
    /// Server addresses in the format of the specification. Nil when there is no such bus.
    let text: String?

    /// Returns the address of the user's session bus.
    static func session(_ environment: [String: String]) -> BusAddress {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return BusAddress(text: address) }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return BusAddress(text: nil) }
        return BusAddress(text: "unix:path=" + escaped(folder + "/bus"))
    }

    /// Returns the address of the system bus.
    static func system(_ environment: [String: String]) -> BusAddress {
        if let address = environment["DBUS_SYSTEM_BUS_ADDRESS"], !address.isEmpty { return BusAddress(text: address) }
        return BusAddress(text: "unix:path=/run/dbus/system_bus_socket")
    }

    /// Whether the address is a single socket path that does not exist. The check avoids loading libsystemd when there
    /// is no bus.
    var isMissing: Bool {
        guard let text else { return true }
        guard text.hasPrefix("unix:path="), !text.utf8.contains(where: { ",;%".utf8.contains($0) }) else {
            return false
        }
        return access(String(text.utf8.dropFirst("unix:path=".utf8.count)) ?? "", F_OK) != 0
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
    }
}
