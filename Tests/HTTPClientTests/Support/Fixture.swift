import Foundation
import TestSupport

/// A program of `Fixtures/` that runs while this value lives, with the lines it prints.
///
/// The program ends with its standard input, so also when the test's process dies.
final class Fixture: Sendable {
    let port: Int
    private let process: ChildProcess
    private let lines: AsyncStream<String>

    static func start(_ script: String, _ arguments: [String] = []) async throws -> Fixture {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        // The distribution's own, where it is: what stands before it in the path may take ten times as long to begin.
        let python = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") ? "/usr/bin/python3" : "python3"
        let process = try ChildProcess(
            python, ["-u", folder.appendingPathComponent("Fixtures/\(script)").path] + arguments)
        let lines = Self.lines(of: process.output)
        for await line in lines where line.hasPrefix("port ") {
            guard let port = Int(line.dropFirst(5)) else { break }
            return Fixture(port, process, lines)
        }
        throw CocoaError(.executableLoad)
    }

    /// A plain HTTP server.
    static func server(_ arguments: [String] = []) async throws -> Fixture { try await start("server.py", arguments) }

    private init(_ port: Int, _ process: ChildProcess, _ lines: AsyncStream<String>) {
        self.port = port
        self.process = process
        self.lines = lines
    }

    /// An address at this program.
    func url(_ path: String = "/", scheme: String = "http", host: String = "127.0.0.1") -> String {
        "\(scheme)://\(host):\(port)\(path)"
    }

    /// Waits for a line that begins with `words` and returns it; lines before it are passed over for good.
    func line(_ words: String) async -> String? {
        for await line in lines where line.hasPrefix(words) { return line }
        return nil
    }

    private static func lines(of output: PipeEnd) -> AsyncStream<String> {
        AsyncStream { continuation in
            BackgroundThread.start {
                var rest: [UInt8] = []
                while case let bytes = output.read(), !bytes.isEmpty {
                    rest += bytes
                    while let end = rest.firstIndex(of: 10) {
                        continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest.removeFirst(end + 1)
                    }
                }
                continuation.finish()
            }
        }
    }
}
