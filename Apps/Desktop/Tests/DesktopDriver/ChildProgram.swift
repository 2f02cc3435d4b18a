package import Foundation

/// A program that the tests started. It is killed at the latest when the object is released.
package final class ChildProgram: Sendable {
    private let process: Process
    private let output = Pipe()
    private let log: URL

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the program.
    ///   - arguments: The arguments.
    ///   - environment: Additions to the environment of the tests.
    ///   - folder: The folder for what the program prints to standard error.
    /// - Throws: An error of the system when the program does not exist.
    package init(_ path: String, _ arguments: [String], environment: [String: String] = [:], folder: URL) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        log = folder.appending(path: "\(process.executableURL!.lastPathComponent)-\(UUID()).log")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The process id.
    package var id: Int32 { process.processIdentifier }

    package var isRunning: Bool { process.isRunning }

    /// The resident memory of the program in bytes. Nil: it ended.
    package var memory: Int? {
        let fields = try? String(contentsOfFile: "/proc/\(id)/statm", encoding: .utf8).split(separator: " ")
        return fields.flatMap { Int($0[1]) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }

    /// What the program has printed to standard error.
    package var errors: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    /// Reads the first line of standard output. Nil: the program closed it before.
    package func firstLine() async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [output] in
                var line = Data()
                while let byte = try? output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) {
                    guard !byte.isEmpty else { return continuation.resume(returning: nil) }
                    line += byte
                }
                continuation.resume(returning: String(decoding: line, as: UTF8.self))
            }
        }
    }

    /// Reads all of standard output, until the program closes it.
    package func allOutput() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [output] in
                let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }

    /// Waits for the end of the program and returns its exit code.
    package func exitCode() async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [process] in
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
    }

    /// Waits for the end of the program and returns whether SIGKILL ended it.
    package func isKilled() async -> Bool {
        await exitCode() == SIGKILL && process.terminationReason == .uncaughtSignal
    }

    /// Ends the program with a signal and waits for its end.
    package func end(_ signal: Int32 = SIGTERM) async {
        if process.isRunning { kill(process.processIdentifier, signal) }
        _ = await exitCode()
    }
}
