import Database
package import FoundationEssentials
import HTTPMessages
import Synchronization

/// The log of the program. Each line has a constant message and a list of values.
///
/// A message is a string literal, so it cannot contain input or a secret by accident.
///
/// Source: ARCHITECTURE.md, Invariants, 3; OX-16.
package final class Log: Sendable {
    /// The severity of a line.
    package enum Level: Int, Sendable, Comparable, CaseIterable {
        /// Details for troubleshooting, such as requests and normal activity.
        case debug
        /// Events that an operator expects to find: start, stop, sign-ins.
        case info
        /// Something is wrong, but the gateway continues.
        case warning
        /// Something failed.
        case error

        /// Compares the severity of lines.
        package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// The format of lines.
    package enum Format: Sendable, Equatable {
        /// Text for people, such as `2026-11-21T04:15:14.123Z info  Listening. address=127.0.0.1:2283`.
        case text
        /// A JSON object with `time`, `level`, `message` and the values, for programs.
        case json
    }

    /// The minimum level of lines that are written.
    package let level: Level
    private let format: Format
    private let writer: LogWriter
    private let now: @Sendable () -> Date
    private let databaseErrorCounter = Atomic(0)
    private let failures = LineLimit()

    /// Creates a log.
    package init(level: Level = .info, format: Format = .text, writer: LogWriter, now: @escaping @Sendable () -> Date) {
        self.level = level
        self.format = format
        self.writer = writer
        self.now = now
    }

    /// The number of lines that were dropped because the reader was too slow.
    package var droppedLines: Int { writer.droppedLines }

    /// The number of requests and of steps of background work that failed because of the database.
    package var databaseErrors: Int { databaseErrorCounter.load(ordering: .relaxed) }

    /// Counts an error, if it is one of the database.
    package func count(_ error: any Error) {
        if error is DatabaseError { databaseErrorCounter.add(1, ordering: .relaxed) }
    }

    /// Writes a line with level ``Level/error`` about a request that failed, and counts the error as ``count(_:)`` does.
    /// Beyond ``LineLimit/maximum`` lines a minute, the next line has the number of those that are left out.
    ///
    /// - Parameters:
    ///   - message: A constant text about what failed.
    ///   - error: The error. The line contains only text that has no input.
    ///   - request: The id of the request.
    package func failure(_ message: StaticString, _ error: any Error, request: String) {
        count(error)
        guard let skipped = failures.admit(from: nil, at: now()) else { return }
        write(
            at: .error, message,
            [
                "error": .description(of: error), "request": .text(request),
                "not_logged": skipped == 0 ? nil : .number(skipped),
            ])
    }

    /// Writes a line, unless `level` is below the minimum level of the log.
    ///
    /// A line about a traced request ends with the id of its trace.
    ///
    /// - Parameters:
    ///   - level: The severity of the line.
    ///   - message: A constant text about what happened.
    ///   - values: The values of the line. Pairs whose value is nil are left out. Not evaluated when the line is not
    ///     written.
    package func write(
        at level: Level, _ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]
    ) {
        guard level >= self.level else { return }
        var line: [UInt8] = []
        line.reserveCapacity(256)
        switch format {
        case .text:
            LogLine.appendText(
                to: &line, time: now(), level: level, message: message.description, values: values(),
                trace: TraceContext.current?.traceID)
        case .json:
            LogLine.appendJSON(
                to: &line, time: now(), level: level, message: message.description, values: values(),
                trace: TraceContext.current?.traceID)
        }
        writer.write(line)
    }

    /// Writes a line with level ``Level/debug``.
    package func debug(_ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]) {
        write(at: .debug, message, values())
    }

    /// Writes a line with level ``Level/info``.
    package func info(_ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]) {
        write(at: .info, message, values())
    }

    /// Writes a line with level ``Level/warning``.
    package func warning(_ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]) {
        write(at: .warning, message, values())
    }

    /// Writes a line with level ``Level/error``.
    package func error(_ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]) {
        write(at: .error, message, values())
    }

    /// Waits until every line so far is written.
    package func flush() {
        writer.flush()
    }
}
