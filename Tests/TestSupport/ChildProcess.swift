import CLibrary
import CSpawn
import Synchronization

/// A program started by a test, with pipes to its standard streams. It is killed when the value is destroyed.
///
/// Foundation's `Process` is not used for two reasons. It reads past the end of a directory listing when many
/// descriptors are open, which sometimes crashes the whole test run. It also passes on the blocked signals of the
/// thread that starts the program.
///
/// Source: posix_spawn(3), waitid(2).
public final class ChildProcess: Sendable {
    /// The destination of standard error.
    public enum Errors: Sendable {
        case apart
        case withOutput
        case nowhere
    }

    /// An error of starting a program or of waiting for it.
    public struct Failure: Error, CustomStringConvertible {
        /// A description of the error.
        public let description: String

        /// Creates a failure.
        public init(_ description: String) {
            self.description = description
        }
    }

    /// The state that is shared with the thread that waits for the program to end.
    private final class Exit: Sendable {
        let state = Mutex<(status: Int32?, waiters: [CheckedContinuation<Int32, Never>])>((nil, []))
    }

    /// The process id.
    public let id: Int32
    /// The write end of the program's standard input.
    public let input: PipeEnd
    /// The read end of the program's standard output.
    public let output: PipeEnd
    /// The read end of standard error. It is at the end of the stream unless the destination is `apart`.
    public let errors: PipeEnd
    private let exit = Exit()

    /// Starts a program. A name without a slash is looked up in `PATH`. The default environment is that of the test.
    ///
    /// - Throws: ``Failure`` when the program cannot be started.
    public init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, directory: String? = nil,
        errors: Errors = .apart
    ) throws {
        let (inputRead, inputWrite) = try PipeEnd.pair()
        let (outputRead, outputWrite) = try PipeEnd.pair()
        let (errorsRead, errorsWrite) = try PipeEnd.pair()
        (input, output, self.errors) = (inputWrite, outputRead, errorsRead)

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, inputRead.number, 0)
        posix_spawn_file_actions_adddup2(&actions, outputWrite.number, 1)
        switch errors {
        case .apart: posix_spawn_file_actions_adddup2(&actions, errorsWrite.number, 2)
        case .withOutput: posix_spawn_file_actions_adddup2(&actions, 1, 2)
        case .nowhere: posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        if let directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }
        id = try Self.spawn(path, arguments, environment, &actions)
        Self.wait(for: id, exit)
    }

    deinit { send(SIGKILL) }

    /// Sends a signal, if the program is still running.
    public func send(_ signal: Int32) {
        exit.state.withLock { if $0.status == nil { _ = kill(id, signal) } }
    }

    /// The exit status, or 128 plus the number of the signal that ended the program. Nil while it is running.
    public var status: Int32? { exit.state.withLock { $0.status } }

    /// Waits for the program to end. Returns its exit status, or 128 plus the number of the signal that ended it.
    @discardableResult
    public func waitForExit() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status: Int32? = exit.state.withLock { state in
                if state.status == nil { state.waiters.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Starts the program with no blocked signals and the default action for `SIGPIPE`.
    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String]?,
        _ actions: inout posix_spawn_file_actions_t
    ) throws -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &pipe)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { $0.map { strdup("\($0.key)=\($0.value)") } + [nil] }
        defer { for text in argv + (variables ?? []) { free(text) } }
        var id: pid_t = 0
        let result = argv.withUnsafeMutableBufferPointer { argv in
            guard variables != nil else {
                return posix_spawnp(&id, path, &actions, &attributes, argv.baseAddress!, environ)
            }
            return variables!.withUnsafeMutableBufferPointer {
                posix_spawnp(&id, path, &actions, &attributes, argv.baseAddress!, $0.baseAddress!)
            }
        }
        guard result == 0 else { throw Failure("Could not start \(path): \(String(cString: strerror(result))).") }
        return id
    }

    /// Waits for the process on a thread. The process id is not released before the status is set under the lock, so a
    /// signal cannot reach a different process.
    private static func wait(for id: Int32, _ exit: Exit) {
        BackgroundThread.start {
            var information = siginfo_t()
            while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
            let (status, waiters) = exit.state.withLock { state in
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0 && errno == EINTR {}
                let ended = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
                defer { state.waiters = [] }
                state.status = ended
                return (ended, state.waiters)
            }
            for waiter in waiters { waiter.resume(returning: status) }
        }
    }
}
