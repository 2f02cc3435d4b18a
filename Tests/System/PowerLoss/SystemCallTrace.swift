import Foundation
import TestSupport

/// What strace wrote down of a program's way with the disk and the network, as events in a folder.
///
/// A call counts from its beginning where it might have had its effect by then, and from its end where somebody relies
/// on it: a flush, and a name.
///
/// Source: strace(1), options `-f`, `-y`, `-xx`.
struct SystemCallTrace {
    private static let calls = [
        "open", "openat", "creat", "mknod", "mknodat", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink",
        "unlinkat", "ftruncate", "write", "pwrite64", "writev", "fsync", "fdatasync", "sendto", "sendmsg", "recvfrom",
    ]

    /// The command that runs a program and writes its calls to `file`.
    ///
    /// A program that is closed to others of its user is closed to strace too, unless that has power over it.
    static func command(_ file: String, _ program: [String], isDetached: Bool = false) -> [String] {
        let power = getuid() == 0 ? [] : ["unshare", "--user", "--map-root-user"]
        return power + ["strace"] + (isDetached ? ["-D"] : []) + [
            "-f", "-q", "-y", "-xx", "-s", "1000000", "-o", file, "-e",
            "trace=" + calls.joined(separator: ","),
        ] + program
    }

    let root: String
    var events: [DiskEvent] = []
    /// Where the next `write` to a descriptor goes.
    var positions: [Int: Int] = [:]
    /// Calls that had begun when another thread's came between: their text, and the number of events before them.
    var unfinishedCalls: [String: (text: [UInt8], number: Int)] = [:]

    init(root: String) {
        self.root = root
    }

    /// Whether the end of a program's first thread, which goes last, stands in a file. Short process numbers are padded.
    static func isWhole(_ file: String, of process: Int32) throws -> Bool {
        let handle = try FileHandle(forReadingFrom: URL(filePath: file))
        defer { try? handle.close() }
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: size - min(size, 1_000))
        let tail = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        return tail.split(separator: "\n").contains { $0.hasPrefix("\(process) ") && $0.contains("+++ exited") }
    }

    /// Reads a whole file of strace's.
    mutating func read(_ file: String) throws {
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: file)))
        for line in bytes.split(separator: UInt8(ascii: "\n")) { read(line: line) }
    }
}
