import Foundation
import TestSupport
import Testing

/// With a real gnome-keyring on a bus of its own.
@Suite("Secret Service", .blocking, .timeLimit(.minutes(20)))
struct SecretServiceTests {
    // The bus is killed with the script: nothing of the test outlives it.
    static let start = """
        exec 3< <(exec dbus-daemon --session --nofork --print-address 2>/dev/null)
        bus=$!; trap 'kill -9 $bus' EXIT
        read -u 3 DBUS_SESSION_BUS_ADDRESS; export DBUS_SESSION_BUS_ADDRESS
        echo -n pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
        gdbus wait --session --timeout \(SuccessTimeout.seconds) org.freedesktop.secrets
        lock() { gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets \\
          -m org.freedesktop.Secret.Service.Lock "[objectpath '/org/freedesktop/secrets/collection/login']" >/dev/null; }

        """

    @Test("OX-16 the token is stored in the Secret Service by default; a locked one is reported and ends no session")
    func service() async throws {
        try await TestGateway.with { server in
            var home = try HomeFixture()
            home.environment["LATCH_SECRETS"] = nil
            let script = """
                echo '\(TestGateway.password)' | $LATCH login \(server.url) -e \(TestGateway.email) --password-stdin
                echo "login $?"; $LATCH request GET /api/me; echo "request $?"
                lock; $LATCH token; echo "token $?"; $LATCH accounts
                """

            let result = try await home.shell(Self.start + script)

            #expect(result.output.contains("login 0") && result.output.contains("request 0"))
            #expect(result.errors.contains("Secrets are stored in the Secret Service"))
            #expect(result.output.contains("token 78") && result.errors.contains("locked"))
            #expect(result.output.contains("signed in"))
            #expect(!FileManager.default.fileExists(atPath: home.data + "/secrets.sealed"))
            #expect(FileManager.default.contents(atPath: home.data + "/secrets.store") == Data("service".utf8))

            let signedOut = try await home.latch("token")
            #expect(signedOut.status == 78 && signedOut.output.isEmpty)
        }
    }
}
