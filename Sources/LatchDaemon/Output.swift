import HTTPMessages
import Terminal

/// The output of a command. Results go to standard output, messages to standard error.
enum Output {
    /// Writes text to standard output. A closed pipe ends the program without a message, as it ends other programs.
    static func write(_ text: String) throws {
        do throws(Descriptor.Failure) {
            try Descriptor.write(Array(text.utf8), to: Descriptor.output)
        } catch {
            if error.number == Descriptor.Failure.closedPipe { Signals.endByClosedPipe() }
            throw error
        }
    }

    /// Writes lines to standard output.
    static func lines(_ lines: [String]) throws {
        try write(lines.map { $0 + "\n" }.joined())
    }

    /// Writes one JSON value and a newline to standard output.
    static func json(_ value: JSONValue) throws {
        try write(String(decoding: value.encoded(), as: UTF8.self) + "\n")
    }

    /// Prints a message in addition to the result.
    static func note(_ text: String) {
        try? Descriptor.write(Array((text + "\n").utf8), to: Descriptor.errors)
    }
}
