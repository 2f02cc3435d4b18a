import CLibrary
import FoundationEssentials
import Primitives
internal import Synchronization

/// A desktop program, started in its own session: a browser outlives the program that opened it, and must not get
/// Ctrl-C from the terminal.
///
/// An agent that asks at the terminal is the exception: it stays in the session of this program.
///
/// Its standard input is empty, and its output is discarded unless ``output(of:)`` collects it.
///
/// Source: `posix_spawn(3)`, `setsid(2)`, `waitid(2)`, `kill(2)`.
package final class DesktopProgram: Sendable {
    /// What is known of the process. It is reaped by ``end()``, or when nobody needs this value any more. Until then no
    /// other process or group can get its number.
    private struct State {
        var hasEnded = false
        var isReaped = false
    }

    private let process: pid_t
    private let state = Mutex(State())
    private let (ends, ending) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))

    /// Starts a program without waiting for it to end.
    ///
    /// - Parameter command: The program, looked up in `PATH`, and its arguments. At least one element.
    /// - Throws: ``DesktopError/Code/programMissing``, ``DesktopError/Code/programFailed``.
    package convenience init(_ command: [String]) throws(DesktopError) {
        self.init(process: try Self.spawn(command, output: nil))
    }

    /// Starts a program that inherits a descriptor under the same number.
    convenience init(_ command: [String], inheriting descriptor: Int32) throws(DesktopError) {
        self.init(process: try Self.spawn(command, output: nil, inheriting: descriptor))
    }

    /// Starts a program that may ask questions at the terminal, and inherits a descriptor under the same number.
    convenience init(atTerminal command: [String], inheriting descriptor: Int32) throws(DesktopError) {
        self.init(process: try Self.spawn(command, output: nil, inheriting: descriptor, flags: 0))
    }

    /// Starts a program with standard output and error in an open file, and with additional environment variables.
    convenience init(
        _ command: [String], output: Int32, environment: [String: String]
    ) throws(DesktopError) {
        self.init(
            process: try Self.spawn(command, output: output, errors: output, environment: environment))
    }

    private init(process: pid_t) {
        self.process = process
        watch()
    }

    deinit { reap() }

    /// Ends the program and the processes that it started, with SIGTERM and after three seconds with SIGKILL. Returns
    /// when they have ended, at most a second later. What the program leaves behind gets SIGKILL as well.
    func end() {
        guard signalGroup(SIGTERM) else { return }
        for _ in 0..<60 where !hasEnded { poll(nil, 0, 50) }
        _ = signalGroup(SIGKILL)
        for _ in 0..<20 {
            reap()
            guard kill(-process, 0) == 0 else { return }
            poll(nil, 0, 50)
        }
    }

    private var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Sends a signal to the group of the program. Returns whether the group still has its number.
    private func signalGroup(_ signal: Int32) -> Bool {
        state.withLock { state in
            if !state.isReaped { kill(-process, signal) }
            return !state.isReaped
        }
    }

    /// Ends the program without the processes that it started, with SIGTERM and after three seconds with SIGKILL.
    /// Returns when it has ended. Call this instead of ``status()``.
    func terminate() async {
        send(SIGTERM)
        let force = Task {
            try await Task.sleep(for: .seconds(3))
            send(SIGKILL)
        }
        _ = await Task { await status() }.value
        force.cancel()
    }

    private func send(_ signal: Int32) {
        state.withLock { if !$0.hasEnded { kill(process, signal) } }
    }

    /// Waits for the program to end. Returns its exit status, or 128 plus the number of the signal that ended it.
    /// Returns nil when the task is cancelled, which does not end the program. Call this once only.
    package func status() async -> Int32? {
        for await status in ends { return status }
        return nil
    }

    /// Runs a program and waits for it to end.
    ///
    /// - Parameters:
    ///   - command: The program, looked up in `PATH`, and its arguments. At least one element.
    ///   - environment: Additional environment variables.
    /// - Returns: The exit status and the text from standard output.
    /// - Throws: ``DesktopError/Code/programMissing``, ``DesktopError/Code/programFailed``.
    package static func output(
        of command: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, text: String) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Self.failure(command, errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (reader, writer) = (ends[0], ends[1])
        let program: DesktopProgram
        do {
            defer { close(writer) }
            program = DesktopProgram(process: try spawn(command, output: writer, environment: environment))
        } catch {
            close(reader)
            throw error
        }
        let bytes = await withCheckedContinuation { continuation in
            SystemThread.detachOrEnd {
                continuation.resume(returning: readAll(reader))
                close(reader)
            }
        }
        return (await program.status() ?? 0, String(decoding: bytes, as: UTF8.self))
    }

    private func watch() {
        SystemThread.detachOrEnd { [self] in
            var info = siginfo_t()
            while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            let status = info._sifields._sigchld.si_status
            state.withLock { $0.hasEnded = true }
            ending.yield(info.si_code == CLD_EXITED ? status : 128 + status)
            ending.finish()
        }
    }

    /// Reaps the process if it has ended: its number is then free.
    private func reap() {
        state.withLock { state in
            guard state.hasEnded, !state.isReaped else { return }
            state.isReaped = true
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
    }

    private static func spawn(
        _ command: [String], output: Int32?, errors: Int32? = nil, inheriting descriptor: Int32? = nil,
        environment: [String: String] = [:], flags: Int16 = newSession
    ) throws(DesktopError) -> pid_t {
        guard let name = command.first, !name.isEmpty else {
            throw DesktopError(.programMissing, "Could not start a program: its name is empty.")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        if let errors {
            posix_spawn_file_actions_adddup2(&actions, errors, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        // Duplicating the descriptor onto itself keeps it open in the program. Source:
        // `posix_spawn_file_actions_adddup2(3)`.
        if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program ignores SIGPIPE, and a child process would inherit that.
        var (none, defaults) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(
            &attributes, flags | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let all = environment.isEmpty ? [:] : ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for variable in variables { free(variable) } }
        var process: pid_t = 0
        let error =
            environment.isEmpty
            ? posix_spawnp(&process, name, &actions, &attributes, &arguments, environ)
            : posix_spawnp(&process, name, &actions, &attributes, &arguments, &variables)
        guard error == 0 else { throw failure(command, error) }
        return process
    }

    private static func failure(_ command: [String], _ number: Int32) -> DesktopError {
        let name = command.first ?? ""
        guard number != ENOENT else {
            return DesktopError(.programMissing, "The program '\(name)' was not found; install it or choose another.")
        }
        return DesktopError(
            .programFailed, "Could not start '\(name)': \(String(cString: strerror(number))).")
    }
}

/// Reads from a descriptor until the end of the stream.
private func readAll(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = read(descriptor, &part, part.count)
        if count > 0 {
            bytes += part.prefix(count)
        } else if count == 0 || errno != EINTR {
            return bytes
        }
    }
}
