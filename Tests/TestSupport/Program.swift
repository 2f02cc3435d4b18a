import Foundation
import Synchronization

/// Runs a program to its end, off the shared pool.
public enum Program {
    /// What a program that ended said.
    public struct Result: Sendable {
        /// The exit status, or 128 plus the signal that ended it.
        public let status: Int32
        /// All of its standard output.
        public let output: String
        /// All of its standard error.
        public let errors: String
    }

    /// Runs `path` with `arguments`, an environment of its own and `input` on standard input, and waits for its end.
    ///
    /// A name without a slash is looked up in `PATH`. Cancelling does not end the program.
    public static func run(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil, input: String = "",
        directory: String? = nil
    ) async throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path.contains("/") ? path : "/usr/bin/env")
        process.arguments = (path.contains("/") ? [] : [path]) + arguments
        if let environment { process.environment = environment }
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        let (output, errors, standardInput) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = standardInput
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                do {
                    try process.run()
                } catch {
                    continuation.resume(throwing: error)
                    return
                }
                signal(SIGPIPE, SIG_IGN)
                try? standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
                try? standardInput.fileHandleForWriting.close()
                let collected = Mutex(Data())
                let other = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    let data = errors.fileHandleForReading.readDataToEndOfFile()
                    collected.withLock { $0 = data }
                    other.signal()
                }
                let data = output.fileHandleForReading.readDataToEndOfFile()
                other.wait()
                process.waitUntilExit()
                let status = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
                continuation.resume(
                    returning: Result(
                        status: status, output: String(decoding: data, as: UTF8.self),
                        errors: String(decoding: collected.withLock { $0 }, as: UTF8.self)))
            }
        }
    }
}
