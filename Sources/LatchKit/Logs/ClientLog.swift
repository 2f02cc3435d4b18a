import FoundationEssentials
import SecretStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#else
    #error("no C library known here")
#endif

/// What this device's programs did with servers lately: sign-ins, renewals, sign-outs and what kept them from it.
///
/// A file of JSON lines with mode 0600, to which several programs append at once, and the one before it: together about
/// twice ``largest`` bytes. Noting never fails and never waits for another program.
public struct ClientLog: Sendable {
    /// The size in bytes after which a new file is begun.
    public static let largest = 262_144

    /// The file; nil keeps nothing.
    public let path: String?
    private let program: String
    private let now: @Sendable () -> Date
    private let largest: Int

    init(path: String?, program: String, now: @escaping @Sendable () -> Date, largest: Int = ClientLog.largest) {
        self.path = path
        self.program = program
        self.now = now
        self.largest = largest
    }

    /// All lines that are there, the oldest first; what is no line of a log is passed over.
    public func entries() -> [LogEntry] {
        guard let path else { return [] }
        return [path + ".1", path].flatMap { file in
            Self.read(FileManager.default.contents(atPath: file).map(Array.init) ?? [])
        }
    }

    /// Removes all lines.
    ///
    /// - Throws: ``LatchError/Code/storageFailed``.
    public func clear() throws(LatchError) {
        guard let path else { return }
        for file in [path + ".1", path] where FileManager.default.fileExists(atPath: file) {
            guard unsafe unlink(file) == 0 || errno == ENOENT else {
                throw LatchError(.storageFailed, "Could not remove '\(file)'. Check that it is yours.")
            }
        }
    }

    /// Reads lines.
    static func read(_ bytes: [UInt8]) -> [LogEntry] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { try? JSON.decode(LogEntry.self, from: Array($0)) }
    }

    /// Notes something.
    func note(_ act: LogEntry.Act, _ server: ServerAddress, _ outcome: String, after duration: Duration? = nil) {
        guard let path else { return }
        let entry = LogEntry(
            time: now(), program: program, process: Int(getpid()), act: act, server: server.authority,
            outcome: outcome, milliseconds: duration.map(Self.milliseconds))
        append(JSON.encode(entry) + [UInt8(ascii: "\n")], to: path)
    }

    /// Does something and notes what came of it.
    func timing<Value>(
        _ act: LogEntry.Act, _ server: ServerAddress, outcome: (Value) -> String = { _ in "ok" },
        _ body: () async throws -> Value
    ) async throws -> Value {
        let start = ContinuousClock.now
        do {
            let value = try await body()
            note(act, server, outcome(value), after: start.duration(to: .now))
            return value
        } catch {
            note(act, server, LatchError(error, asking: server).code.rawValue, after: start.duration(to: .now))
            throw error
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds) * 1_000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
    }

    /// One write, which the system does not mix with another program's.
    ///
    /// Source: write(2), `O_APPEND`.
    private func append(_ line: [UInt8], to path: String) {
        guard var file = Self.open(path) else { return }
        if lseek(file, 0, SEEK_END) > off_t(largest), flock(file, LOCK_EX | LOCK_NB) == 0, Self.isStill(file, path) {
            // Whoever holds another file of that name by now has turned it already. Closing gives the lock back.
            _ = unsafe rename(path, path + ".1")
            close(file)
            guard let new = Self.open(path) else { return }
            file = new
        }
        defer { close(file) }
        _ = unsafe line.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    }

    private static func open(_ path: String) -> Int32? {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        var file = systemOpen(path, flags, 0o600)
        if file < 0, errno == ENOENT, let slash = path.lastIndex(of: "/") {
            try? PrivateFile.makeFolder(String(path[..<slash]))
            file = systemOpen(path, flags, 0o600)
        }
        return file < 0 ? nil : file
    }

    private static func isStill(_ file: Int32, _ path: String) -> Bool {
        var (held, named) = (stat(), stat())
        let areKnown = unsafe fstat(file, &held) == 0 && stat(path, &named) == 0
        return areKnown && held.st_ino == named.st_ino
    }
}

/// The system's `open`, whose name a method here has too.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    unsafe open(path, flags, mode)
}
