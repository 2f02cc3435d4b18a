import Foundation
import TestSupport

/// A session bus of a test's own, with a gnome-keyring that is empty and unlocked.
enum PrivateBus {
    /// What the programs find.
    enum Bus {
        /// A bus with a keyring.
        case keyring
        /// A bus on which no Secret Service is, and none can be started.
        case empty
        /// A socket that takes connections and never says a word.
        case silent
        /// No bus.
        case none
    }

    /// Runs a script of bash that may call `$PROBE`, `keyring` (start it) and `lock`; the lines that it printed.
    static func run(_ script: String, bus: Bus = .keyring) async throws -> [String] {
        let folder = try TemporaryDirectory()
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
            "XDG_DATA_HOME": folder.path + "/data", "PROBE": try Products.path("SecretProbe"),
        ]
        try folder.write(emptyConfiguration, to: "empty.conf")
        try FileManager.default.createDirectory(atPath: folder.path + "/data", withIntermediateDirectories: false)
        let start =
            switch bus {
            case .keyring: start("--session") + "keyring\n"
            case .empty: start("--config-file=$HOME/empty.conf")
            case .silent: silence
            case .none: ""
            }
        let result = try await Program.run("/bin/bash", ["-c", start + script], environment: environment)
        return result.output.split(separator: "\n").map(String.init)
    }

    // Not dbus-run-session: started from a test it left its bus running. The keyring ends with the bus.
    private static func start(_ configuration: String) -> String {
        """
        exec 3< <(exec dbus-daemon \(configuration) --nofork --print-address 2>/dev/null)
        bus=$!; trap 'kill -9 $bus' EXIT
        read -u 3 DBUS_SESSION_BUS_ADDRESS; export DBUS_SESSION_BUS_ADDRESS
        keyring() { echo -n pw | gnome-keyring-daemon "$@" --unlock --components=secrets >/dev/null 2>&1
          gdbus wait --session --timeout \(SuccessTimeout.seconds) org.freedesktop.secrets; }
        lock() { gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets \
          -m org.freedesktop.Secret.Service.Lock "[objectpath '/org/freedesktop/secrets/collection/login']" >/dev/null; }

        """
    }

    private static let silence = """
        exec 3< <(exec python3 -c '
        import os, socket, time
        door = socket.socket(socket.AF_UNIX)
        door.bind(os.environ["HOME"] + "/bus"); door.listen(8)
        print("ready", flush=True)
        time.sleep(60)')
        bus=$!; trap 'kill -9 $bus' EXIT
        read -u 3 _; export DBUS_SESSION_BUS_ADDRESS=unix:path=$HOME/bus

        """

    private static let emptyConfiguration = """
        <busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
        <allow own="*"/></policy></busconfig>
        """
}
