import CSpawn
import Foundation

/// A program in its own terminal, for simulating the input of a person.
///
/// The program leads a session whose controlling terminal is the other end of ``master``. It is killed when the value
/// is destroyed.
///
/// Source: `pty(7)`, `posix_spawn(3)`.
public final class PseudoTerminal {
    /// An error, with the contents of the screen.
    public struct Failure: Error, CustomStringConvertible {
        /// A description of the error.
        public let description: String
    }

    // The C library does not expose these calls and constants to Swift. Source: ioctl_tty(2), `spawn.h`.
    private static let setLock = UInt(0x4004_5431)
    private static let getNumber = UInt(0x8004_5430)
    private static let newSession = Int16(0x80)

    /// The process id.
    public let process: Int32
    private let master: Int32
    private let slave: Int32
    /// All output so far.
    public private(set) var screen = ""
    private var status: Int32?

    /// Starts a program.
    public init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, Self.setLock, &locked) == 0, ioctl(master, Self.getNumber, &number) == 0 else {
            throw Failure(description: "There is no pseudo terminal: \(String(cString: strerror(errno))).")
        }
        let slavePath = "/dev/pts/\(number)"
        // Kept open, so that the terminal settings can be inspected after the program has ended.
        slave = open(slavePath, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that a session leader opens becomes its controlling terminal.
        posix_spawn_file_actions_addopen(&actions, 0, slavePath, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Self.newSession | Int16(POSIX_SPAWN_SETSIGMASK))
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, path, &actions, &attributes, &argv, &envp)
        self.process = process
        guard error == 0 else {
            // Number 0 would be this process's own group.
            status = -1
            throw Failure(description: "Could not run \(path): \(String(cString: strerror(error))).")
        }
    }

    deinit {
        if status == nil {
            kill(process, SIGKILL)
            var ended: Int32 = 0
            waitpid(process, &ended, 0)
        }
        close(slave)
        close(master)
    }

    /// Reads until the screen contains `text`, `times` times.
    public func wait(for text: String, times: Int = 1, seconds: Int = SuccessTimeout.seconds) throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while screen.ranges(of: text).count < times {
            guard ContinuousClock.now < end else {
                throw Failure(description: "'\(text)' did not come; the screen shows:\n\(screen)")
            }
            try readSome()
        }
    }

    /// Sends input to the program. `\u{3}` is Ctrl-C.
    public func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// Whether the terminal echoes input.
    public var echoes: Bool {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// The arguments of the process, which every user of the machine can read.
    public var visibleArguments: String {
        let data = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads until the program ends. Returns its exit status, or the negative number of the signal that killed it.
    public func end(seconds: Int = SuccessTimeout.seconds) throws -> Int32 {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            var raw: Int32 = 0
            if waitpid(process, &raw, WNOHANG) == process {
                try readRest(until: end)
                // The number of an unhandled signal is returned as a negative value.
                let code = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : -(raw & 0x7F)
                status = code
                return code
            }
            guard ContinuousClock.now < end else {
                throw Failure(description: "The program did not end; the screen shows:\n\(screen)")
            }
            try readSome()
        }
    }

    /// Reads the output that is still buffered in the kernel. It writes a marker to the other end, which arrives after
    /// that output.
    private func readRest(until end: ContinuousClock.Instant) throws {
        while pollReadable(0) { try readSome() }
        let mark = "\u{0}no more\u{0}"
        guard write(slave, mark, mark.utf8.count) == mark.utf8.count else { return }
        while !screen.hasSuffix(mark), ContinuousClock.now < end { try readSome() }
        screen = screen.replacing(mark, with: "")
    }

    private func readSome() throws {
        guard pollReadable(50) else { return }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(master, &buffer, buffer.count)
        if count > 0 { screen += String(decoding: buffer.prefix(count), as: UTF8.self) }
    }

    private func pollReadable(_ milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) == 1 && waiting.revents & Int16(POLLIN) != 0
    }
}
