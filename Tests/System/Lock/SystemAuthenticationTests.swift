import CLibrary
import Foundation
import TestSupport
import Testing

/// `latch` with the real polkit, its text agent and PAM, in a mount namespace and a terminal of its own.
///
/// `latch` runs as the user `nobody`, because polkit allows the user root everything.
@Suite(
    .blocking, .serialized, .timeLimit(.minutes(10)),
    .enabled("The tests must run as root, for a system bus and policy files of their own.") { getuid() == 0 },
    .enabled("The packages polkitd and libpam-wrapper must be installed.") { PolkitMachine.isInstalled },
    .enabled("unshare must allow namespaces, and other users must be able to run latch.") {
        try await PolkitMachine.isPossible()
    })
struct SystemAuthenticationTests {
    @Test("IM-15 PAM's right password unlocks at a terminal without a dialog, and a wrong one or Ctrl-C does not")
    func password() async throws {
        let terminal = try PolkitMachine.start(
            """
            latch pin local set --system-authentication; echo "set $?"
            latch lock
            latch unlock; echo "wrong $?"
            latch unlock; echo "stopped $?"
            latch pin local status --json
            latch unlock; echo "right $?"
            latch pin local remove; echo "removed $?"
            """)
        let password = PolkitMachine.password
        let answers = ["\(password)\n", "not \(password)\n", "\u{3}", "\(password)\n", "\(password)\n"]
        for (number, answer) in answers.enumerated() { try await terminal.answer(answer, toPassword: number + 1) }
        #expect(try terminal.end() == 0)
        let screen = terminal.screen
        #expect(screen.contains("set 0") && screen.contains("right 0") && screen.contains("removed 0"), "\(screen)")
        #expect(screen.contains("wrong 77") && screen.contains("did not accept the authentication"))
        #expect(screen.contains("stopped 130") && terminal.echoes, "\(screen)")
        #expect(screen.contains(#"{"lock":"locked","methods":["system"]}"#))
        #expect(screen.contains("Authenticate to unlock your accounts") && !screen.contains(password))
    }

    @Test("IM-15 a PIN unlocks where polkit cannot ask, and without a PIN the exit code is 80")
    func withoutTerminal() async throws {
        let terminal = try PolkitMachine.start(
            """
            latch pin local set --system-authentication; echo "set $?"
            latch lock
            setsid --wait latch unlock </dev/null; echo "unlock $?"
            latch pin local set; echo "add $?"
            latch lock
            echo 274951 | setsid --wait latch unlock --pin-stdin; echo "pin $?"
            """)
        try await terminal.answer(PolkitMachine.password + "\n", toPassword: 1)
        for question in ["New PIN", "Repeat the new PIN"] {
            try terminal.wait(for: question)
            terminal.type("274951\n")
        }
        try await terminal.answer(PolkitMachine.password + "\n", toPassword: 2)
        #expect(try terminal.end() == 0)
        #expect(terminal.screen.contains("unlock 80") && terminal.screen.contains("no program asks for it"))
        #expect(terminal.screen.contains("add 0") && terminal.screen.contains("pin 0"), "\(terminal.screen)")
    }

    @Test("IM-15 without the policy file the error names it, and nothing is locked")
    func withoutPolicy() throws {
        let terminal = try PolkitMachine.start(
            "latch pin local set --system-authentication; echo \"set $?\"; latch pin local status", hasPolicy: false)
        #expect(try terminal.end() == 0)
        #expect(terminal.screen.contains("set 78") && terminal.screen.contains("org.latchstring.unlock.policy"))
        #expect(terminal.screen.contains("This device has no lock."))
    }
}

/// A system bus, polkit, PAM and a keyring that only the programs of one script see.
private enum PolkitMachine {
    /// The password of the user in PAM.
    static let password = "correct horse battery"

    private static let modules = "/usr/lib/\(architecture)-linux-gnu/pam_wrapper/pam_matrix.so"
    private static let polkit = "/usr/lib/polkit-1/polkitd"
    private static let namespaces = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]

    static var isInstalled: Bool {
        [modules, polkit, "/usr/bin/pkttyagent"].allSatisfy(FileManager.default.fileExists)
    }

    static func isPossible() async throws -> Bool {
        let script = try mountPrograms() + "user latch --version"
        return try await Program.run("/usr/bin/unshare", namespaces + ["bash", "-c", script]).status == 0
    }

    /// Runs a script of bash in a terminal. In it, `latch` is the program, as another user.
    static func start(_ script: String, hasPolicy: Bool = true) throws -> PseudoTerminal {
        let policy = Products.packageFolder + "/Integrations/polkit/org.latchstring.unlock.policy"
        let copy = hasPolicy ? "cp \(policy) /mnt/actions" : ""
        // Each service has a session of its own, so that Ctrl-C does not end it.
        let session = """
            exec 3< <(exec setsid dbus-daemon --session --nofork --print-address 2>/dev/null)
            read -u 3 DBUS_SESSION_BUS_ADDRESS; export DBUS_SESSION_BUS_ADDRESS
            echo -n pw | setsid gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
            gdbus wait --session --timeout \(SuccessTimeout.seconds) org.freedesktop.secrets
            trap : INT
            \(script)
            exit 0
            """
        let machine = """
            mkdir /mnt/actions /mnt/home; chown nobody /mnt/home
            cp /usr/share/polkit-1/actions/org.freedesktop.policykit.policy /mnt/actions
            \(copy)
            mount --bind /mnt/actions /usr/share/polkit-1/actions
            cp -r /etc/pam.d /mnt/pam.d
            for kind in auth account; do echo "$kind required \(modules) passdb=/mnt/passwords"; done >/mnt/pam.d/polkit-1
            echo 'nobody:\(password):polkit-1' >/mnt/passwords
            mount --bind /mnt/pam.d /etc/pam.d
            mkdir -p /run/dbus; mount -t tmpfs -o mode=755 tmpfs /run/dbus
            cat >/mnt/bus.conf <<'END'
            \(bus)
            END
            exec 3< <(exec setsid dbus-daemon --config-file=/mnt/bus.conf --nofork --print-address 2>/dev/null)
            read -u 3 address
            setsid \(polkit) --no-debug >/dev/null 2>&1 &
            gdbus wait --system --timeout \(SuccessTimeout.seconds) org.freedesktop.PolicyKit1
            cat >/mnt/session <<'END'
            \(session)
            END
            user bash /mnt/session
            """
        return try PseudoTerminal(
            "/usr/bin/unshare", namespaces + ["bash", "-c", try mountPrograms() + machine],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "xterm", "LANG": "C.UTF-8"])
    }

    /// The beginning of each script: the built programs where every user can run them.
    private static func mountPrograms() throws -> String {
        let programs = (try Products.path("latch") as NSString).deletingLastPathComponent
        return """
            mount -t tmpfs -o mode=755 tmpfs /mnt && mkdir /mnt/bin && mount --bind '\(programs)' /mnt/bin || exit 1
            user() { setpriv --reuid=nobody --regid=nogroup --clear-groups env -u DBUS_SYSTEM_BUS_ADDRESS \
            PATH=/mnt/bin:/usr/bin:/bin HOME=/mnt/home XDG_RUNTIME_DIR=/mnt/home "$@"; }

            """
    }

    /// The configuration of a bus that every user may use for everything.
    private static let bus = """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig><type>session</type><listen>unix:path=/run/dbus/system_bus_socket</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow user="*"/><allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
        """

    private static var architecture: String {
        #if arch(arm64)
            "aarch64"
        #else
            "x86_64"
        #endif
    }
}

extension PseudoTerminal {
    /// Answers a question of polkit's text agent, which discards what is entered before it turns off the echo.
    fileprivate func answer(_ text: String, toPassword number: Int) async throws {
        try wait(for: "Password: ", times: number)
        try await eventually { !echoes }
        type(text)
    }
}
