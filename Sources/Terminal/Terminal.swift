public import Crypto
import Glibc
import Primitives

/// The terminal that the person sits at, wherever standard input and output go.
public final class Terminal: Sendable {
    /// The longest line that a terminal hands over. Source: `termios(3)`, canonical mode.
    private static let longestLine = 4_095

    private let descriptor: Int32

    /// Opens `/dev/tty`; nil when the program has no terminal.
    public init?() {
        descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Asks for a line that may be seen.
    ///
    /// - Returns: The line without white space at its ends; `suggestion` for an empty one.
    public func ask(_ question: String, suggestion: String? = nil) async throws -> String {
        try say(suggestion.map { "\(question) [\($0)]: " } ?? "\(question): ")
        let line = try await visibleLine()
        return line.isEmpty ? suggestion ?? "" : line
    }

    /// Asks for a line that nobody shall see.
    public func askSecret(_ question: String) async throws -> Secret {
        try EchoGuard.shared.hide(descriptor)
        defer {
            EchoGuard.shared.restore()
            try? say("\n")
        }
        try say("\(question): ")
        var bytes = try await line()
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return Secret(bytes: bytes)
    }

    /// Asks a question whose safe answer is no.
    public func confirm(_ question: String) async throws -> Bool {
        try say("\(question) [y/N] ")
        let answer = try await visibleLine()
        return ["y", "yes"].contains(answer.lowercased())
    }

    private func say(_ text: String) throws {
        try Descriptor.write(Array(text.utf8), to: descriptor)
    }

    /// A line without white space at its ends; what is said after none begins a line of its own.
    private func visibleLine() async throws -> String {
        do {
            return String(decoding: try await line(), as: UTF8.self).trimmed
        } catch {
            try? say("\n")
            throw error
        }
    }

    private func line() async throws -> [UInt8] {
        guard let (bytes, isWhole) = try await Descriptor.read(descriptor, lineOnly: true, limit: Self.longestLine)
        else { throw TerminalError(.noInput, "The terminal's input ended before an answer came. Nothing was changed.") }
        guard isWhole else {
            throw TerminalError(
                .invalidInput, "The line is longer than a terminal can pass. Give it on standard input.")
        }
        return bytes
    }
}
