import Foundation
import TestSupport

/// What a running program holds.
struct ResourceUsage: Sendable {
    /// How many descriptors are open.
    let descriptors: Int
    /// Resident memory.
    let residentKiB: Int
    /// The most that it ever was.
    let peakKiB: Int

    /// Looks at a process.
    ///
    /// Source: proc(5), `/proc/pid/fd` and `VmRSS` and `VmHWM` of `/proc/pid/status`.
    init(process id: Int32) throws {
        guard let folder = opendir("/proc/\(id)/fd") else { throw ChildProcess.Failure("Process \(id) is gone.") }
        defer { closedir(folder) }
        var names = 0
        while readdir(folder) != nil { names += 1 }
        descriptors = names - 2
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        residentKiB = Self.number("VmRSS:", status)
        peakKiB = Self.number("VmHWM:", status)
    }

    private static func number(_ field: String, _ status: String) -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return line.flatMap { Int($0.split(whereSeparator: { $0 == " " || $0 == "\t" })[1]) } ?? 0
    }
}

extension RunningGateway {
    /// What it holds now.
    func use() throws -> ResourceUsage {
        try ResourceUsage(process: program.id)
    }

    /// Returns once `condition` holds of it; the test's time limit bounds the wait.
    func until(_ condition: (ResourceUsage) -> Bool) async throws {
        while try !condition(use()) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

/// The descriptors of the test's own process.
enum Descriptors {
    /// Raises the soft limit to the hard one and returns it.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }
}
