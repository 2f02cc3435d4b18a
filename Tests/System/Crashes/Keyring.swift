import Foundation
import TestSupport
import Testing

/// A Secret Service of a test's own: gnome-keyring, unlocked, on a session bus that ends with this value.
final class Keyring: Sendable {
    /// The bus, as programs expect it in `DBUS_SESSION_BUS_ADDRESS`.
    let address: String
    private let bus: RunningProgram
    private let environment: [String: String]

    /// Starts both in `folder`, where the keyring keeps its files. They end when the shell does.
    init(in folder: String) async throws {
        try FileManager.default.createDirectory(atPath: folder + "/run", withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder + "/run")
        let home = [
            "PATH": "/usr/bin:/bin", "HOME": folder, "XDG_DATA_HOME": folder, "XDG_RUNTIME_DIR": folder + "/run",
        ]
        bus = try RunningProgram("/bin/bash", ["-c", Self.script], environment: home)
        let line = try await bus.line(containing: "unix:")
        address = line
        environment = home.merging(["DBUS_SESSION_BUS_ADDRESS": line]) { $1 }
    }

    private static let script = """
        exec 3< <(exec setpriv --pdeathsig KILL dbus-daemon --session --nofork --print-address 2>/dev/null)
        bus=$!
        read -u 3 DBUS_SESSION_BUS_ADDRESS; export DBUS_SESSION_BUS_ADDRESS
        echo -n pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
        gdbus wait --session --timeout \(SuccessTimeout.seconds) org.freedesktop.secrets
        echo "$DBUS_SESSION_BUS_ADDRESS"
        wait $bus
        """

    /// How many secrets it holds.
    ///
    /// Source: Secret Service API draft 0.2, `org.freedesktop.Secret.Collection`, property `Items`.
    func count() async throws -> Int {
        let result = try await Program.run(
            "gdbus",
            [
                "call", "--session", "-d", "org.freedesktop.secrets", "-o", "/org/freedesktop/secrets/collection/login",
                "-m", "org.freedesktop.DBus.Properties.Get", "org.freedesktop.Secret.Collection", "Items",
            ], environment: environment)
        try #require(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "/login/").count - 1
    }
}
