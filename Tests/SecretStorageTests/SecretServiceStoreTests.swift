import Foundation
import TestSupport
import Testing

/// Runs `SecretProbe` against a real gnome-keyring on a private bus.
@Suite(.timeLimit(.minutes(20))) struct SecretServiceStoreTests {
    @Test(
        "a secret is stored in the keyring, and a locked keyring is reported as locked, not empty")
    func keyring() async throws {
        let output = try await PrivateBus.run(
            """
            $PROBE read; $PROBE write one; $PROBE read; keyring --replace; $PROBE read
            $PROBE remove; $PROBE read; $PROBE write two
            lock
            $PROBE read; $PROBE write x; $PROBE remove
            """
        ).map { $0.prefix { $0 != ":" } }
        #expect(
            output == [
                "holds nothing", "written", "holds one", "holds one", "removed", "holds nothing", "written", "locked",
                "locked", "locked",
            ])
    }

    @Test("without a bus the Secret Service is absent") func absent() async throws {
        let output = try await PrivateBus.run("$PROBE read", bus: .none)
        #expect(output.count == 1 && output[0].hasPrefix("absent: "))
        #expect(output[0].contains("--secrets file"))
    }

    @Test("a bus that accepts the connection and never responds fails within the limit, and is not absent")
    func silentBus() async throws {
        let output = try await PrivateBus.run(
            "$PROBE read; $PROBE open automatic $XDG_DATA_HOME; ls $XDG_DATA_HOME", bus: .silent)
        #expect(output.count == 2 && output.allSatisfy { $0.hasPrefix("io: ") }, "\(output)")
        #expect(output.allSatisfy { $0.contains("did not respond") && $0.contains("restart the keyring service") })
    }

    @Test("without libsecret the Secret Service is absent, and the sealed file is used instead")
    func noLibrary() async throws {
        let output = try await PrivateBus.run(
            """
            library=$(/sbin/ldconfig -p | sed -n 's/.*libsecret-1[.]so[.]0 .*=> //p' | head -n 1)
            unshare --map-root-user --mount sh -c "mount --bind /dev/null $library
                $PROBE read; $PROBE open automatic $XDG_DATA_HOME"
            """)
        #expect(
            output.count == 2 && output[0].hasPrefix("absent: ") && output[0].contains("libsecret-1-0"), "\(output)")
        #expect(output.last?.hasPrefix("file: ") == true, "\(output)")
    }
}
