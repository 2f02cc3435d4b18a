import Foundation

/// Reads the memory of processes that this one may access, which are usually its own children.
///
/// Source: `/proc/PID/maps` and `/proc/PID/mem` in proc(5).
public enum ProcessMemory {
    /// Returns the writable memory regions of a process with their contents.
    public static func writable(of process: Int32) throws -> [(name: String, bytes: [UInt8])] {
        let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else {
            throw ChildProcess.Failure("The memory of \(process) is closed: \(String(cString: strerror(errno))).")
        }
        defer { close(memory) }
        return maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), ends.count == 2 else { return nil }
            var bytes = [UInt8](repeating: 0, count: Int(ends[1] - ends[0]))
            let count = pread(memory, &bytes, bytes.count, off_t(ends[0]))
            return count > 0 ? (fields.count > 5 ? String(fields[5]) : "memory", Array(bytes.prefix(count))) : nil
        }
    }

    /// Returns the resident memory of this process, in KiB.
    ///
    /// Source: `/proc/PID/status` in proc(5).
    public static func residentKiB() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let number = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw ChildProcess.Failure("The status of this process tells no VmRSS.")
        }
        return number
    }
}
