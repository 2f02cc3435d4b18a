import CLibrary
import FoundationEssentials
import HTTPMessages
import Primitives
import SecretStorage

/// The log of what the programs of this device recently did with servers: sign-ins, renewals, sign-outs and their
/// failures.
///
/// The log is a file of JSON lines with mode 0600. Several programs can append to it at the same time. When the file
/// exceeds ``largest`` bytes, it is renamed to `PATH.1` and a new one is started. Both files together take about twice
/// ``largest`` bytes. Writing never throws and never waits for another program.
package struct ClientLog: Sendable {
    /// The size in bytes above which a new file is started.
    package static let largest = 262_144

    /// The path of the file. Nil disables the log.
    package let path: String?
    private let program: String
    private let now: @Sendable () -> Date
    private let largest: Int

    init(path: String?, program: String, now: @escaping @Sendable () -> Date, largest: Int = ClientLog.largest) {
        self.path = path
        self.program = program
        self.now = now
        self.largest = largest
    }

    /// Returns all entries, the oldest first. Lines that are not valid entries are skipped.
    package func entries() -> [LogEntry] {
        guard let path else { return [] }
        return [path + ".1", path].flatMap { file in
            Self.read(FileManager.default.contents(atPath: file).map(Array.init) ?? [])
        }
    }

    /// Reports each change of the log, by this or another program: first at once, then after changes. The stream ends
    /// when it is no longer read.
    package var changes: AsyncStream<Void> {
        ChangePause.changes(of: path.map { [$0, $0 + ".1"] } ?? [], interval: .milliseconds(500))
    }

    /// Removes all entries.
    ///
    /// - Throws: ``LatchError/Code/storageFailed``.
    package func clear() throws(LatchError) {
        guard let path else { return }
        for file in [path + ".1", path] where FileManager.default.fileExists(atPath: file) {
            guard unsafe unlink(file) == 0 || errno == ENOENT else {
                throw LatchError(.storageFailed, "Could not remove '\(file)'. Check that you own it.")
            }
        }
    }

    /// Parses the entries of a file.
    static func read(_ bytes: [UInt8]) -> [LogEntry] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { try? JSON.decode(LogEntry.self, from: Array($0)) }
    }

    /// Appends an entry. Errors are ignored.
    func record(
        _ action: LogEntry.Action, at server: ServerAddress, outcome: String, after duration: Duration? = nil
    ) {
        guard let path else { return }
        let entry = LogEntry(
            time: now(), program: program, process: Int(getpid()), action: action, server: server.authority,
            outcome: outcome, milliseconds: duration?.wholeMilliseconds)
        append(JSON.encode(entry) + [UInt8(ascii: "\n")], to: path)
    }

    /// Runs `body` and logs its outcome and duration.
    func timing<Value>(
        _ action: LogEntry.Action, at server: ServerAddress, outcome: (Value) -> String = { _ in "ok" },
        _ body: () async throws -> Value
    ) async throws -> Value {
        let start = ContinuousClock.now
        do {
            let value = try await body()
            record(action, at: server, outcome: outcome(value), after: start.duration(to: .now))
            return value
        } catch {
            record(
                action, at: server, outcome: LatchError(error, asking: server).code.rawValue,
                after: start.duration(to: .now))
            throw error
        }
    }

    /// Appends a line with a single write, which the system does not interleave with the writes of other programs.
    ///
    /// Source: write(2), `O_APPEND`.
    private func append(_ line: [UInt8], to path: String) {
        guard var file = Self.open(path) else { return }
        if lseek(file, 0, SEEK_END) > off_t(largest), flock(file, LOCK_EX | LOCK_NB) == 0, Self.isStill(file, path) {
            // When the name belongs to another file, another program has already rotated the log. Closing releases the
            // lock.
            _ = unsafe rename(path, path + ".1")
            close(file)
            guard let new = Self.open(path) else { return }
            file = new
        }
        defer { close(file) }
        _ = unsafe line.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    }

    private static func open(_ path: String) -> Int32? {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var file = systemOpen(path, flags: flags, mode: 0o600)
        if file < 0, errno == ENOENT, let slash = path.lastIndex(of: "/") {
            try? PrivateFile.makeFolder(String(path[..<slash]))
            file = systemOpen(path, flags: flags, mode: 0o600)
        }
        return file < 0 ? nil : file
    }

    private static func isStill(_ file: Int32, _ path: String) -> Bool {
        var (held, named) = (stat(), stat())
        let areKnown = unsafe fstat(file, &held) == 0 && stat(path, &named) == 0
        return areKnown && held.st_ino == named.st_ino
    }
}

/// Calls the system's `open`, which a method of ``ClientLog`` would otherwise hide.
private func systemOpen(_ path: String, flags: Int32, mode: mode_t) -> Int32 {
    unsafe open(path, flags, mode)
}
