internal import Glibc

/// Where a message bus listens, as its programs are told.
///
/// Source: D-Bus Specification, "Server Addresses", "Message Bus Messages"; XDG Base Directory Specification.
public struct BusAddress: Sendable, Hashable {
    /// Addresses as the specification writes them; nil where there is no such bus.
    let text: String?

    /// The bus of the person's session.
    public static func session(_ environment: [String: String]) -> BusAddress {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return BusAddress(text: address) }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return BusAddress(text: nil) }
        return BusAddress(text: "unix:path=" + escaped(folder + "/bus"))
    }

    /// The bus of the machine.
    public static func system(_ environment: [String: String]) -> BusAddress {
        if let address = environment["DBUS_SYSTEM_BUS_ADDRESS"], !address.isEmpty { return BusAddress(text: address) }
        return BusAddress(text: "unix:path=/run/dbus/system_bus_socket")
    }

    /// Whether nothing can answer there, for the one socket that is named is not there. No library need be loaded to learn it.
    var isNowhere: Bool {
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
