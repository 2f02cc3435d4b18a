import Foundation
import TestSupport
import Testing

/// Runs `SecretProbe` against a real gnome-keyring on a private bus.
@Suite(.timeLimit(.minutes(1))) struct SecretServiceStoreTests {
    private func run(_ script: String, bus: Bool = true) async throws -> [String] {
        let folder = try TemporaryDirectory()
        let probe = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/SecretProbe"
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
            "XDG_DATA_HOME": folder.path + "/data", "PROBE": probe,
        ]
        let result = try await Program.run(
            "/bin/bash", ["-c", (bus ? start : "") + script], environment: environment)
        return result.output.split(separator: "\n").map { String($0.prefix { $0 != ":" }) }
    }

    // Not dbus-run-session: started from a test it left its bus running. The keyring ends with the bus.
    private let start = """
        exec 3< <(exec dbus-daemon --session --nofork --print-address 2>/dev/null)
        bus=$!; trap 'kill -9 $bus' EXIT
        read -u 3 DBUS_SESSION_BUS_ADDRESS; export DBUS_SESSION_BUS_ADDRESS
        keyring() { echo -n pw | gnome-keyring-daemon "$@" --unlock --components=secrets >/dev/null 2>&1
          gdbus wait --session --timeout 10 org.freedesktop.secrets; }
        keyring

        """

    @Test("a secret is kept in the keyring, and a locked keyring is locked, not empty") func keyring() async throws {
        let said = try await run(
            """
            $PROBE read; $PROBE write one; $PROBE read; keyring --replace; $PROBE read
            $PROBE remove; $PROBE read; $PROBE write two
            gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets \
              -m org.freedesktop.Secret.Service.Lock "[objectpath '/org/freedesktop/secrets/collection/login']" >/dev/null
            $PROBE read; $PROBE write x; $PROBE remove
            """)
        #expect(
            said == [
                "holds nothing", "written", "holds one", "holds one", "removed", "holds nothing", "written", "locked",
                "locked", "locked",
            ])
    }

    @Test("without a bus the Secret Service is absent") func absent() async throws {
        #expect(try await run("$PROBE read", bus: false) == ["absent"])
    }
}
