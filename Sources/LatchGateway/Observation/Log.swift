public import FoundationEssentials

/// The program's log: a line each, a constant message with values beside it.
///
/// A message is a literal, so nothing from outside, and no secret, can become part of it by accident.
///
/// Source: invariant 3; OX-16.
public final class Log: Sendable {
    /// How much a line matters.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// For finding a fault: requests, and what a healthy run does.
        case debug
        /// What an operator wants to have been told: start, stop, sign-ins.
        case info
        /// Something is wrong and the gateway goes on.
        case warning
        /// Something failed.
        case error

        /// Compares how much lines matter.
        public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// How lines are written.
    public enum Format: Sendable, Equatable {
        /// `2026-11-21T04:15:14.123Z info  Listening. address=127.0.0.1:2283`, for people.
        case text
        /// A JSON object with `time`, `level`, `message` and the values, for programs.
        case json
    }

    /// Lines of a lower level are not written.
    public let level: Level
    private let format: Format
    private let writer: LogWriter
    private let now: @Sendable () -> Date

    /// Makes a log.
    public init(level: Level = .info, format: Format = .text, writer: LogWriter, now: @escaping @Sendable () -> Date) {
        self.level = level
        self.format = format
        self.writer = writer
        self.now = now
    }

    /// How many lines were dropped because nobody read them fast enough.
    public var droppedLines: Int { writer.droppedLines }

    /// Writes a line, unless `level` is below the log's own.
    ///
    /// - Parameters:
    ///   - level: How much it matters.
    ///   - message: What happened, the same text each time.
    ///   - values: To what; pairs whose value is nil are left out. Not asked for when the line is not written.
    public func write(
        _ level: Level, _ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]
    ) {
        guard level >= self.level else { return }
        var line: [UInt8] = []
        line.reserveCapacity(256)
        switch format {
        case .text: LogLine.appendText(to: &line, now(), level, message.description, values())
        case .json: LogLine.appendJSON(to: &line, now(), level, message.description, values())
        }
        writer.write(line)
    }

    /// Writes a line for finding a fault.
    public func debug(_ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]) {
        write(.debug, message, values())
    }

    /// Writes a line that an operator wants to have been told.
    public func info(_ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]) {
        write(.info, message, values())
    }

    /// Writes a line about something wrong.
    public func warning(_ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]) {
        write(.warning, message, values())
    }

    /// Writes a line about something that failed.
    public func error(_ message: StaticString, _ values: @autoclosure () -> KeyValuePairs<String, LogValue?> = [:]) {
        write(.error, message, values())
    }

    /// Returns when every line so far is written.
    public func flush() {
        writer.flush()
    }
}
