package import Crypto
import Primitives

/// Reads secrets that another program passes on standard input.
package enum StandardInput {
    /// The maximum length of a line, in bytes.
    private static let longestLine = 65_536

    /// Reads the first line, without the newline and a carriage return before it.
    ///
    /// - Parameters:
    ///   - option: The option that requested the line, named in errors.
    ///   - what: A description of the value for errors.
    /// - Returns: The line.
    /// - Throws: ``TerminalError`` when there is no line, the line is too long, or standard input is a terminal.
    package static func firstLine(
        as option: String = "--password-stdin", _ what: String = "password"
    ) async throws -> Secret {
        guard let line = try await secretLine(option) else {
            throw TerminalError(.noInput, "Standard input is empty: it contains no \(what).")
        }
        return line
    }

    /// Reads the first lines for `--password-stdin`. Returns fewer than `count` lines when the input has fewer.
    package static func lines(upTo count: Int) async throws -> [Secret] {
        var lines: [Secret] = []
        while lines.count < count, let line = try await secretLine("--password-stdin") { lines.append(line) }
        return lines
    }

    private static func secretLine(_ option: String) async throws -> Secret? {
        guard !Descriptor.isTerminal(Descriptor.input) else {
            throw TerminalError(
                .usage,
                "\(option) reads from a pipe or a file, but standard input is a terminal. Omit it to be prompted."
            )
        }
        let line: (bytes: [UInt8], isWhole: Bool)?
        do {
            line = try await Descriptor.read(Descriptor.input, lineOnly: true, limit: longestLine)
        } catch let failure as Descriptor.Failure {
            throw TerminalError(.noInput, "Could not read standard input: \(failure).")
        }
        guard var bytes = line?.bytes, let isWhole = line?.isWhole else { return nil }
        guard isWhole else {
            throw TerminalError(.invalidInput, "A line of standard input is longer than 64 KiB.")
        }
        defer { for index in bytes.indices { bytes[index] = 0 } }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return Secret(bytes: bytes)
    }

    /// Reads the next line, without leading and trailing white space. Returns nil at the end of the input.
    package static func line() async throws -> String? {
        do {
            let line = try await Descriptor.read(Descriptor.input, lineOnly: true, limit: longestLine)
            return line.map { String(decoding: $0.bytes, as: UTF8.self).trimmed }
        } catch let failure as Descriptor.Failure {
            throw TerminalError(.noInput, "Could not read standard input: \(failure).")
        }
    }
}
