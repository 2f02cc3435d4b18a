import Foundation

/// A simulated desktop: a private message bus with services that python-dbusmock simulates.
///
/// The same bus serves as session bus and system bus.
public final class MockDesktop: Sendable {
    /// A simulated service.
    public enum Service: String, Sendable {
        /// `org.freedesktop.Notifications`.
        case notifications = "notification_daemon"
        /// `org.gtk.Notifications`, which passes actions to an app.
        case appNotifications = "gtk_notifications"
        /// The desktop app of this project, as another program sees it.
        case app
        /// `org.freedesktop.login1`.
        case login = "logind"
        /// `org.freedesktop.NetworkManager`, initially connected and not metered.
        case network = "networkmanager"
        /// `net.connman.iwd`, initially without a station.
        case iwd
        /// `org.freedesktop.PolicyKit1`, initially denying every action.
        case polkit = "polkitd"
        /// `org.freedesktop.systemd1` of the user. It starts the program of a unit once.
        case manager = "systemd1"

        /// The arguments for dbusmock.
        fileprivate var words: [String] {
            switch self {
            case .manager: [name, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"]
            case .appNotifications: [name, path, name]
            case .app: [name, path, "org.freedesktop.Application"]
            case .iwd: ["--is-object-manager", name, "/", name]
            case .notifications, .login, .network, .polkit: ["--template", rawValue]
            }
        }

        fileprivate var name: String {
            switch self {
            case .notifications: "org.freedesktop.Notifications"
            case .appNotifications: "org.gtk.Notifications"
            case .app: "io.github.latchstring.Latchstring"
            case .login: "org.freedesktop.login1"
            case .network: "org.freedesktop.NetworkManager"
            case .iwd: "net.connman.iwd"
            case .polkit: "org.freedesktop.PolicyKit1"
            case .manager: "org.freedesktop.systemd1"
            }
        }

        /// The object whose mock interface changes the service.
        fileprivate var path: String {
            switch self {
            case .iwd: "/"
            case .polkit: "/org/freedesktop/PolicyKit1/Authority"
            default: "/" + name.replacing(".", with: "/")
            }
        }
    }

    /// The environment variables with which programs find the bus.
    public let environment: [String: String]
    private let folder: TemporaryDirectory
    private let bus: RunningProgram
    private let services: [Service: RunningProgram]

    /// Starts the bus and services. The services get additional environment variables.
    public init(_ wanted: Service..., environment more: [String: String] = [:]) async throws {
        folder = try TemporaryDirectory()
        let home = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
        let configuration = try folder.write(Self.configuration(folder.path), to: "bus.conf")
        bus = try RunningProgram(
            "/usr/bin/dbus-daemon", ["--config-file=\(configuration)", "--nofork", "--print-address"], environment: home
        )
        let address = try await bus.line(containing: "unix:")
        environment = ["DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address]
        var services: [Service: RunningProgram] = [:]
        for service in wanted {
            services[service] = try RunningProgram(
                "/usr/bin/python3", ["-m", "dbusmock", "--session"] + service.words,
                environment: home.merging(more) { $1 }.merging(environment) { $1 })
        }
        self.services = services
        for service in wanted {
            try await gdbus(["wait", "--session", "--timeout", "\(SuccessTimeout.seconds)", service.name])
            if service == .network { try await mock(.network, "AddProperty", Self.manager, "Metered", "<uint32 2>") }
            if service == .appNotifications {
                try await mock(service, "AddMethod", service.name, "AddNotification", "ssa{sv}", "", "")
            }
            if service == .app {
                let interface = "org.freedesktop.Application"
                try await mock(service, "AddMethod", interface, "ActivateAction", "sava{sv}", "", "")
            }
            if service == .polkit {
                try await mock(.polkit, "AddMethod", Self.authority, "CancelCheckAuthorization", "s", "", "")
            }
            if service == .manager {
                let manager = "org.freedesktop.systemd1.Manager"
                try await mock(.manager, "AddMethod", manager, "Reload", "", "", "")
                try await mock(.manager, "AddMethod", manager, "StartUnit", "ss", "o", Self.unitStarter)
            }
        }
    }

    /// Returns all recorded calls to a service, one line each.
    public func calls(_ service: Service) -> [String] {
        (services[service]?.output ?? "").split(separator: "\n").map(String.init)
    }

    /// Waits for a matching call to a service and returns its line.
    @discardableResult
    public func call(
        _ service: Service, where isWanted: @escaping @Sendable (Substring) -> Bool
    ) async throws -> String {
        guard let program = services[service] else { throw ChildProcess.Failure("\(service) is not played.") }
        return try await program.line(where: isWanted)
    }

    /// Kills a service, as in a crash.
    public func kill(_ service: Service) async {
        services[service]?.send(SIGKILL)
        await services[service]?.waitForExit()
    }

    /// Kills the bus.
    public func killBus() async {
        bus.send(SIGKILL)
        await bus.waitForExit()
    }

    /// Makes logind refuse inhibitor locks.
    public func refuseInhibitors() async throws {
        try await mock(
            .login, "AddMethod", "org.freedesktop.login1.Manager", "Inhibit", "ssss", "h",
            #"raise dbus.exceptions.DBusException("refused", name="org.freedesktop.DBus.Error.AccessDenied")"#)
    }

    /// Changes the network state that NetworkManager reports.
    ///
    /// Source: NetworkManager's D-Bus types, `NMState`, `NMMetered`.
    public func setNetwork(state: UInt32 = 70, metered: UInt32 = 2) async throws {
        let values = "{'State': <uint32 \(state)>, 'Metered': <uint32 \(metered)>}"
        try await mock(.network, "UpdateProperties", Self.manager, values)
    }

    /// Connects NetworkManager's only device to a Wi-Fi network. Call it once.
    public func joinWifi(_ name: String) async throws {
        let device = Self.managerPath + "/Devices/wlan0"
        try await mock(.network, "AddWiFiDevice", "wlan0", "wlan0", "100")
        try await mock(
            .network, "AddAccessPoint", device, "ap0", name, "00:23:F8:7E:12:BB", "2", "2425", "5400", "82", "0x100")
        try await mock(.network, "AddWiFiConnection", device, "Home", name, "wpa-psk")
        try await mock(
            .network, "AddActiveConnection", "['\(device)']", Self.managerPath + "/Settings/Home",
            Self.managerPath + "/AccessPoint/ap0", "a0", "2")
    }

    /// Adds a station of iwd that is connected to a Wi-Fi network, and another network. Call it once.
    public func joinWifiWithIWD(_ name: String) async throws {
        let (device, iwd) = ("/net/connman/iwd/0/4", "net.connman.iwd")
        for (path, network) in [("/0_psk", name), ("/1_open", "Another")] {
            try await mock(.iwd, "AddObject", device + path, iwd + ".Network", "{'Name': <'\(network)'>}", "[]")
        }
        try await mock(
            .iwd, "AddObject", device, iwd + ".Station",
            "{'State': <'connected'>, 'ConnectedNetwork': <objectpath '\(device)/0_psk'>}", "[]")
    }

    /// Simulates that the person closes a notification.
    public func dismiss(_ number: Int) async throws {
        try await mock(
            .notifications, "EmitSignal", "org.freedesktop.Notifications", "NotificationClosed", "uu",
            "[<uint32 \(number)>, <uint32 2>]")
    }

    /// Simulates that the person clicks on a notification.
    public func click(_ number: Int) async throws {
        try await mock(
            .notifications, "EmitSignal", "org.freedesktop.Notifications", "ActionInvoked", "us",
            "[<uint32 \(number)>, <'default'>]")
    }

    /// Adds a session with an id to logind.
    public func addSession(_ id: String) async throws {
        try await gdbus([
            "call", "--session", "-d", Service.login.name, "-o", "/org/freedesktop/login1",
            "-m", "org.freedesktop.DBus.Mock.AddSession", id, "seat0", "1000", "ada", "true",
        ])
    }

    /// Simulates that the session with an id is locked.
    public func lockSession(_ id: String) async throws {
        try await gdbus([
            "call", "--session", "-d", Service.login.name, "-o", "/org/freedesktop/login1/session/\(id)",
            "-m", "org.freedesktop.DBus.Mock.EmitSignal", "org.freedesktop.login1.Session", "Lock", "", "[]",
        ])
    }

    /// Simulates that the machine is about to be suspended.
    public func suspend() async throws { try await prepareForSleep("true") }

    /// Simulates that the machine was resumed.
    public func resume() async throws { try await prepareForSleep("false") }

    private func prepareForSleep(_ isBefore: String) async throws {
        try await mock(
            .login, "EmitSignal", "org.freedesktop.login1.Manager", "PrepareForSleep", "b", "[<\(isBefore)>]")
    }

    /// What polkit answers when it is asked for an authorization.
    ///
    /// Source: the interface `org.freedesktop.PolicyKit1.Authority`, `AuthorizationResult`.
    public enum PolkitAnswer: String, Sendable {
        case allows = "ret = (True, False, {})"
        case denies = "ret = (False, False, {})"
        case isDismissed = "ret = (False, False, {'polkit.dismissed': 'true'})"
        case hasNoAgent = "ret = (False, True, {})"
        case lacksPolicy = """
            raise dbus.exceptions.DBusException("Action org.latchstring.unlock is not registered", \
            name="org.freedesktop.PolicyKit1.Error.Failed")
            """
        case fails = """
            raise dbus.exceptions.DBusException("No session for cookie", \
            name="org.freedesktop.PolicyKit1.Error.Failed")
            """
        /// It does not answer.
        case hangs = ""
    }

    /// Sets what polkit answers from now on. After ``PolkitAnswer/hangs`` it cannot be changed.
    public func setPolkit(_ answer: PolkitAnswer) async throws {
        if answer == .hangs {
            try await mock(.polkit, "SimulateHang", "true")
        } else {
            try await mock(
                .polkit, "AddMethod", Self.authority, "CheckAuthorization", "(sa{sv})sa{ss}us", "(bba{ss})",
                answer.rawValue)
        }
    }

    /// Waits until polkit is asked and does not answer.
    public func waitForHangingAuthorization() async throws {
        try await eventually { try await mock(.polkit, "HaveHangingCalls").contains("true") }
    }

    private static let authority = "org.freedesktop.PolicyKit1.Authority"

    /// Returns the inhibitor locks as logind lists them.
    public func inhibitors() async throws -> String {
        try await gdbus([
            "call", "--session", "-d", Service.login.name, "-o", "/org/freedesktop/login1",
            "-m", "org.freedesktop.login1.Manager.ListInhibitors",
        ])
    }

    /// Whether a sleep inhibitor lock exists. Blocks the thread, for code that is called in the middle of a change.
    public func isSuspensionDelayed() -> Bool {
        let (program, pipe) = (Process(), Pipe())
        program.executableURL = URL(fileURLWithPath: "/usr/bin/gdbus")
        program.arguments = [
            "call", "--session", "-d", Service.login.name, "-o", Service.login.path, "-m",
            "org.freedesktop.login1.Manager.ListInhibitors",
        ]
        (program.environment, program.standardOutput) = (environment, pipe)
        try? program.run()
        let list = pipe.fileHandleForReading.readDataToEndOfFile()
        return String(decoding: list, as: UTF8.self).contains("'sleep'")
    }

    /// Waits until a sleep inhibitor lock exists, or until none exists.
    public func waitForInhibitors(_ areThere: Bool) async throws {
        try await eventually { try await inhibitors().contains("sleep") == areThere }
    }

    /// Starts the program of a unit from its unit file, like systemd, as far as the tests need it.
    private static let unitStarter = """
        import os, subprocess
        with open(os.environ["XDG_CONFIG_HOME"] + "/systemd/user/" + str(args[0])) as file:
            lines = [line.strip().split("=", 1) for line in file if "=" in line and not line.startswith("#")]
        def words(text):
            found, word, characters = [], None, iter(text)
            for letter in characters:
                if word is None: word = "" if letter == '"' else None
                elif letter == '"': found, word = found + [word.replace("%%", "%")], None
                elif ord(letter) != 92: word += letter
                else: word += {"n": chr(10)}.get(following := next(characters), following)
            return found
        def plain(word): return word.replace("$$", chr(0)).replace("$", "a variable").replace(chr(0), "$")
        unit = dict(lines)
        variables = {}
        for name, text in lines:
            if name == "Environment": variables.update([word.split("=", 1) for word in words(text)])
        program, *arguments = words(unit["ExecStart"])
        log = open(unit["StandardOutput"].removeprefix("append:").replace("%%", "%"), "ab")
        subprocess.Popen([program] + list(map(plain, arguments)), env={**os.environ, **variables},
                         stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        ret = dbus.ObjectPath("/org/freedesktop/systemd1/job/1")
        """

    private static let manager = "org.freedesktop.NetworkManager"
    private static let managerPath = "/org/freedesktop/NetworkManager"

    @discardableResult
    private func mock(_ service: Service, _ method: String, _ arguments: String...) async throws -> String {
        try await gdbus(
            ["call", "--session", "-d", service.name, "-o", service.path, "-m", "org.freedesktop.DBus.Mock.\(method)"]
                + arguments)
    }

    @discardableResult
    private func gdbus(_ arguments: [String]) async throws -> String {
        let result = try await Program.run("/usr/bin/gdbus", arguments, environment: environment)
        guard result.status == 0 else { throw ChildProcess.Failure("gdbus \(arguments): \(result.errors)") }
        return result.output
    }

    /// Returns the bus configuration. It starts no services, regardless of those installed on the machine.
    private static func configuration(_ folder: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
        <allow own="*"/></policy></busconfig>
        """
    }
}
