import Foundation
import TestSupport
import Testing

/// The system calls of a program that change something outside it, counted and stopped at with strace.
///
/// The kernel itself kills the program before it carries out the call, so nothing in the program knows of the test, and
/// what was done before the call is all that was done.
///
/// Source: strace(1), "Syscall tampering".
enum SystemCalls {
    /// The n-th call of one name in a thread of the program.
    struct Point: Sendable, Hashable, CustomStringConvertible {
        let name: String
        let number: Int

        var description: String { "\(name) \(number)" }
    }

    /// What goes to other programs by the session bus, and the end.
    static let messages = ["sendmsg", "exit_group"]

    /// Names, folders, contents, locks on disk, and what goes to a server.
    static let changes = [
        "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir",
        "mkdirat", "mknodat", "ftruncate", "chmod", "fchmod", "sendto", "recvfrom", "flock", "exit_group",
    ]

    /// Runs a program to its end and gives every point, at calls of these names, at which it can be stopped.
    static func points(
        named names: [String], of program: String, _ arguments: [String], environment: [String: String], input: String
    ) async throws -> [Point] {
        let folder = try TemporaryDirectory()
        let trace = folder.file("trace")
        let result = try await Program.run(
            "strace", ["-f", "-qq", "-o", trace, "-e", "trace=" + names.joined(separator: ","), program] + arguments,
            environment: environment, input: input)
        try #require([0, 77].contains(result.status), "\(result.errors)")
        var seen: [String: Int] = [:]
        var points: Set<Point> = []
        for line in try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n") {
            let thread = line.prefix { $0 != " " }
            let call = line.dropFirst(thread.count).drop { $0 == " " }
            let name = String(call.prefix { $0 != "(" })
            guard names.contains(name) else { continue }
            seen["\(thread) \(name)", default: 0] += 1
            // Threads of one program that wake each other, and nothing to read: nothing has changed.
            if call.contains(#""\1", "#) || call.contains("EAGAIN") { continue }
            points.insert(Point(name: name, number: seen["\(thread) \(name)"] ?? 0))
        }
        return points.sorted { ($0.name, $0.number) < ($1.name, $1.number) }
    }

    /// Runs a program and has it killed at a point; whether it came so far.
    static func kill(
        at point: Point, _ program: String, _ arguments: [String], environment: [String: String], input: String
    ) async throws -> Bool {
        let result = try await Program.run(
            "strace",
            [
                "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(point.name)", "-e",
                "inject=\(point.name):signal=KILL:when=\(point.number)", program,
            ] + arguments, environment: environment, input: input)
        try #require([0, 77, 137].contains(result.status), "\(point): \(result.status) \(result.errors)")
        return result.status == 137
    }
}
