import CommandLineTool
import HTTPMessages
import LatchKit
import Terminal

/// The output of a command. Results go to standard output, messages to standard error.
///
/// With `--json`, exactly one JSON value goes to standard output, also for a failure. Before it, a command may print the
/// events that a program must act on, one JSON value on each line. Messages still go to standard error.
struct Console: Sendable {
    /// Whether results are JSON.
    let isJSON: Bool
    /// The style of text on standard output.
    let output: Style
    /// The style of text on standard error.
    let errors: Style
    /// Whether standard error is a terminal on which lines can be overwritten.
    let isLive: Bool

    init(isJSON: Bool, environment: [String: String]) {
        self.isJSON = isJSON
        output = Style(descriptor: Descriptor.output, environment: environment)
        errors = Style(descriptor: Descriptor.errors, environment: environment)
        isLive = Descriptor.canOverwrite(Descriptor.errors, environment: environment)
    }

    /// Prints the result of the command: `lines` for people, `json` for programs.
    func result(_ lines: @autoclosure () -> [String], json: @autoclosure () -> JSONValue) throws(LatchError) {
        guard isJSON else { return try printLines(lines()) }
        try raw(json().encoded() + [UInt8(ascii: "\n")])
    }

    /// Prints an event on one line for programs. Prints nothing without `--json`.
    func event(_ value: JSONValue) throws(LatchError) {
        guard isJSON else { return }
        try raw(value.encoded() + [UInt8(ascii: "\n")])
    }

    /// Prints a part of the result for people. Prints nothing with `--json`.
    func printLines(_ lines: [String]) throws(LatchError) {
        guard !isJSON, !lines.isEmpty else { return }
        try raw(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Writes bytes to standard output unchanged.
    ///
    /// A closed pipe ends the program without a message, as it ends other programs.
    func raw(_ bytes: [UInt8]) throws(LatchError) {
        do throws(Descriptor.Failure) {
            try StandardOutput.write(bytes)
        } catch {
            throw LatchError(describing: error)
        }
    }

    /// Prints a message in addition to the result.
    func printMessage(_ text: String) {
        StandardOutput.printMessage(text)
    }

    /// Prints a warning.
    func warn(_ text: String) {
        printMessage("\(errors.warning("Warning:")) \(text)")
    }

    /// Prints why the command failed, and what to do.
    func fail(_ error: LatchError, hint: String?) {
        guard isJSON else {
            // The message for a mistake on the command line already names the command.
            printMessage(error.code == .usage ? error.message : "\(errors.bad("latch:")) \(error.message)")
            if let hint { printMessage(hint) }
            return
        }
        try? raw(JSONValue.object([.init("error", Self.json(error, hint: hint))]).encoded() + [UInt8(ascii: "\n")])
    }

    /// Returns the stable JSON members of a failure: `code`, `message`, `exitCode`, and, if present, `hint` and
    /// `retryAfterSeconds`.
    static func json(_ error: LatchError, hint: String? = nil) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("code", .string(error.code.rawValue)), .init("message", .string(error.message)),
            .init("exitCode", .number(Double(ExitCode(for: error.code).rawValue))),
        ]
        if let hint { members.append(.init("hint", .string(hint))) }
        if let retryAfter = error.retryAfter {
            members.append(.init("retryAfterSeconds", .number(Double(retryAfter.components.seconds))))
        }
        return .object(members)
    }
}
