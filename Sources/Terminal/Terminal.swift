import CLibrary
package import Crypto
import Primitives

/// The controlling terminal of the process, independent of standard input and output.
package final class Terminal: Sendable {
    /// The maximum length of a line from a terminal. Source: `termios(3)`, canonical mode.
    private static let longestLine = 4_095

    private let descriptor: Int32

    /// Opens `/dev/tty`. Returns nil when the process has no terminal.
    package init?() {
        descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Prompts for a line that is echoed.
    ///
    /// - Returns: The line without leading and trailing white space, or `suggestion` for an empty line.
    package func ask(_ question: String, suggestion: String? = nil) async throws -> String {
        try write(suggestion.map { "\(question) [\($0)]: " } ?? "\(question): ")
        let line = try await visibleLine()
        return line.isEmpty ? suggestion ?? "" : line
    }

    /// Prompts for a line that is not echoed.
    package func askSecret(_ question: String) async throws -> Secret {
        try EchoGuard.shared.hide(descriptor)
        defer {
            EchoGuard.shared.restore()
            try? write("\n")
        }
        try write("\(question): ")
        var bytes = try await line()
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return Secret(bytes: bytes)
    }

    /// Prompts for confirmation, with no as the default.
    package func confirm(_ question: String) async throws -> Bool {
        try write("\(question) [y/N] ")
        let answer = try await visibleLine()
        return ["y", "yes"].contains(answer.lowercased())
    }

    private func write(_ text: String) throws {
        try Descriptor.write(Array(text.utf8), to: descriptor)
    }

    /// Reads a line without leading and trailing white space. On an error it writes a newline, so that later output
    /// starts on its own line.
    private func visibleLine() async throws -> String {
        do {
            return String(decoding: try await line(), as: UTF8.self).trimmed
        } catch {
            try? write("\n")
            throw error
        }
    }

    private func line() async throws -> [UInt8] {
        guard let (bytes, isWhole) = try await Descriptor.read(descriptor, lineOnly: true, limit: Self.longestLine)
        else { throw TerminalError(.noInput, "The terminal's input ended without an answer. Nothing was changed.") }
        guard isWhole else {
            throw TerminalError(
                .invalidInput, "The line is too long for a terminal. Pass it on standard input.")
        }
        return bytes
    }
}
