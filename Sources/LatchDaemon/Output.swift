import CommandLineTool
import HTTPMessages

/// The results of a command on standard output.
enum Output {
    /// Writes text to standard output.
    static func write(_ text: String) throws {
        try StandardOutput.write(Array(text.utf8))
    }

    /// Writes lines to standard output.
    static func lines(_ lines: [String]) throws {
        try write(lines.map { $0 + "\n" }.joined())
    }

    /// Writes one JSON value and a newline to standard output.
    static func json(_ value: JSONValue) throws {
        try write(String(decoding: value.encoded(), as: UTF8.self) + "\n")
    }
}
