import Foundation
import Synchronization

/// A program of `Fixtures/` that runs while this value lives, with the lines it prints.
///
/// The program ends with its standard input, so also when the test's process dies.
final class Fixture: Sendable {
    let port: Int
    private let process: Mutex<Process>
    private let input: FileHandle
    private let lines: AsyncStream<String>

    static func start(_ script: String, _ arguments: [String] = []) async throws -> Fixture {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-u", folder.appendingPathComponent("Fixtures/\(script)").path] + arguments
        let (output, input) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        let lines = Self.lines(of: output.fileHandleForReading)
        for await line in lines where line.hasPrefix("port ") {
            guard let port = Int(line.dropFirst(5)) else { break }
            return Fixture(port, process, input.fileHandleForWriting, lines)
        }
        throw CocoaError(.executableLoad)
    }

    /// A plain HTTP server.
    static func server(_ arguments: [String] = []) async throws -> Fixture { try await start("server.py", arguments) }

    private init(_ port: Int, _ process: consuming sending Process, _ input: FileHandle, _ lines: AsyncStream<String>) {
        self.port = port
        self.process = Mutex(process)
        self.input = input
        self.lines = lines
    }

    deinit { try? input.close() }

    /// An address at this program.
    func url(_ path: String = "/", scheme: String = "http", host: String = "127.0.0.1") -> String {
        "\(scheme)://\(host):\(port)\(path)"
    }

    /// Waits for a line that begins with `words` and returns it; lines before it are passed over for good.
    func line(_ words: String) async -> String? {
        for await line in lines where line.hasPrefix(words) { return line }
        return nil
    }

    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                var rest = Data()
                while case let data = handle.availableData, !data.isEmpty {
                    rest += data
                    while let end = rest.firstIndex(of: 10) {
                        continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }
        }
    }
}
