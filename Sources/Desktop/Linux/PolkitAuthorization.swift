import CLibrary
import Primitives

/// Asks polkit to let the person authenticate to the system, with a password, a fingerprint or whatever else the system
/// accepts.
///
/// Source: polkit(8); the interface `org.freedesktop.PolicyKit1.Authority`, `CheckAuthorization`.
package struct PolkitAuthorization: Sendable {
    private static let authority = "org.freedesktop.PolicyKit1.Authority"
    private static let error = "org.freedesktop.PolicyKit1.Error."
    private static let allowsInteraction: UInt32 = 1

    private let address: BusAddress
    private let action: String
    private let usesTerminal: Bool
    private let timeout: Duration

    /// Describes a question. Nobody is asked yet.
    ///
    /// - Parameters:
    ///   - environment: The variables that locate the services of the system.
    ///   - action: The id of the action.
    ///   - usesTerminal: Whether polkit's text agent asks at the terminal when no other agent runs.
    ///   - timeout: The time in which the person must answer.
    package init(
        _ environment: [String: String], action: String, usesTerminal: Bool, timeout: Duration = .seconds(300)
    ) {
        address = .system(environment)
        self.action = action
        self.usesTerminal = usesTerminal
        self.timeout = timeout
    }

    /// Asks, and returns when the person has authenticated.
    ///
    /// - Throws: ``DesktopError`` with ``DesktopError/Code/authenticationUnavailable``,
    ///   ``DesktopError/Code/authenticationDenied`` or ``DesktopError/Code/authenticationUnanswered``;
    ///   `CancellationError`, after polkit was told to stop.
    package func request() async throws {
        do {
            try await ask()
        } catch is NoAgent {
            // Only now, because an agent for this process replaces the one of the desktop. The option `--fallback` of
            // pkttyagent is not used: polkit 122 does not find such an agent for a process without a logind session.
            guard usesTerminal, let agent = await TextAgent() else { throw noAgent }
            let result: Result<Void, any Error>
            do { result = .success(try await ask()) } catch { result = .failure(error) }
            await agent.end()
            do { try result.get() } catch is NoAgent { throw noAgent }
        }
    }

    /// The person would have to authenticate, but no agent asks.
    private struct NoAgent: Error {}

    private func ask() async throws {
        guard let pipe = StopPipe() else { throw unavailable("too many files are open. Close some programs.") }
        try await withTaskCancellationHandler {
            try await SystemThread.run { try ask(pipe) }
        } onCancel: {
            pipe.stop()
        }
    }

    /// Blocks until the person has authenticated.
    private func ask(_ pipe: StopPipe) throws {
        guard let connection = BusConnection(address), let name = connection.uniqueName else {
            throw unavailable("the system bus does not respond. Start D-Bus and polkit.")
        }
        // polkit keeps the id for this connection only.
        let id = "latchstring"
        let reply = connection.reply(to: Self.method("CheckAuthorization"), within: timeout, or: pipe) { message in
            // The subject is the name of this connection and not the number of this process, which another program
            // gets after this one has ended.
            message.structure("sa{sv}") {
                message.append("system-bus-name")
                message.append(variants: [("name", .string(name))])
            }
            message.append(action)
            message.array(of: "{ss}") {}
            message.append(Self.allowsInteraction)
            message.append(id)
        }
        switch reply {
        case .returned(let message): try check(message)
        case .failed(let error): throw failure(error)
        case .lost: throw unavailable("the connection to polkit was lost. Try again.")
        case .timedOut:
            _ = connection.call(Self.method("CancelCheckAuthorization")) { $0.append(id) }
            throw DesktopError(
                .authenticationUnanswered,
                "Nobody authenticated within \(timeout.components.seconds) seconds. Nothing was unlocked. Try again.")
        case .stopped:
            _ = connection.call(Self.method("CancelCheckAuthorization")) { $0.append(id) }
            throw CancellationError()
        }
    }

    private func check(_ message: BusMessage) throws {
        var (isAuthorized, isChallenge, isDismissed) = (false, false, false)
        message.members(of: "bba{ss}") {
            (isAuthorized, isChallenge) = (message.boolean() ?? false, message.boolean() ?? false)
            message.entries(of: "ss") {
                let (key, value) = (message.string(), message.string())
                if key == "polkit.dismissed", value == "true" { isDismissed = true }
            }
        }
        guard !isAuthorized else { return }
        if isDismissed {
            throw DesktopError(
                .authenticationUnanswered, "The authentication was dismissed. Nothing was unlocked. Try again.")
        }
        guard !isChallenge else { throw NoAgent() }
        throw DesktopError(
            .authenticationDenied,
            "The system did not accept the authentication. Nothing was unlocked. Try again, or ask the administrator.")
    }

    /// Source: D-Bus Specification, "Message Bus Messages"; polkit, `PolkitError`.
    private func failure(_ error: BusError) -> DesktopError {
        switch error.name {
        case Self.error + "Failed":
            // The same error says that the action is unknown and that anything else failed.
            unavailable(
                "polkit reported '\(error.message)'. "
                    + (error.message.contains(action)
                        ? "Install its policy file '\(action).policy' in /usr/share/polkit-1/actions."
                        : "See the log of polkit."))
        case Self.error + "Cancelled":
            DesktopError(
                .authenticationUnanswered, "The authentication was cancelled. Nothing was unlocked. Try again.")
        default: unavailable("polkit does not respond (\(error.name)). Install and start polkit.")
        }
    }

    private var noAgent: DesktopError {
        unavailable(
            "no program asks for it in this session. Sign in to a desktop, or use a terminal on a machine with "
                + "pkttyagent.")
    }

    private func unavailable(_ reason: String) -> DesktopError {
        DesktopError(.authenticationUnavailable, "The system's authentication is not available: \(reason)")
    }

    private static func method(_ name: String) -> BusMethod {
        BusMethod(
            service: "org.freedesktop.PolicyKit1", path: "/org/freedesktop/PolicyKit1/Authority", interface: authority,
            name: name)
    }
}

/// polkit's text agent, which asks at the terminal of this program.
///
/// Source: pkttyagent(1).
private struct TextAgent {
    /// The time in which the agent must be registered, in milliseconds.
    private static let timeout: Int32 = 10_000

    private let program: DesktopProgram

    /// Starts the agent and waits until it is registered. Nil when it is not installed.
    init?() async {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (reader, writer) = (ends[0], ends[1])
        defer { close(reader) }
        let program = try? DesktopProgram(
            atTerminal: ["pkttyagent", "--process", "\(getpid())", "--notify-fd", "\(writer)"],
            inheriting: writer)
        close(writer)
        guard let program else { return nil }
        self.program = program
        // The agent closes its end when it is registered, or when it fails.
        _ = try? await SystemThread.run {
            var waiting = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, Self.timeout)
        }
    }

    func end() async { await program.terminate() }
}
