public import FoundationEssentials
import LatchKit
public import Observation

/// The log of recent operations with servers, by all programs that share the accounts. It contains no secrets.
@MainActor @Observable
public final class LogScreen {
    /// One line of the log, safe to be displayed.
    public struct Row: Equatable, Sendable {
        /// When the operation ended.
        public let time: Date
        /// The server.
        public let server: String
        /// The operation and its outcome, such as "sign-in: ok in 120 ms".
        public let text: String
        /// The program and its process.
        public let program: String
        /// Whether the operation failed.
        public let isFailure: Bool
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Logs"
        /// What is shown while there is no entry.
        public static let empty = "No operations with servers were recorded."
        /// The button that deletes all entries.
        public static let clear = "Clear"
        /// The button that copies all entries as text.
        public static let copy = "Copy"
    }

    /// What the screen shows, the newest entry first.
    public private(set) var state = ListState<Row>.loading
    /// All entries as text, the oldest first, one per line.
    public var text: String {
        state.rows.reversed().map {
            "\($0.time.formatted(.iso8601))  \($0.server)  \($0.text)  (\($0.program))\n"
        }.joined()
    }

    @ObservationIgnored private let log: ClientLog

    init(_ log: ClientLog) {
        self.log = log
        load()
    }

    /// Reads the log again.
    public func load() { state = .loaded(log.entries().reversed().map(Self.row), nil) }

    /// Deletes all entries.
    public func clear() {
        do {
            try log.clear()
            load()
        } catch {
            state = state.failed(error)
        }
    }

    private static func row(_ entry: LogEntry) -> Row {
        let time = entry.milliseconds.map { " in \($0) ms" } ?? ""
        return Row(
            time: entry.time, server: ScreenText.line(entry.server),
            text: "\(entry.action.rawValue): \(ScreenText.line(entry.outcome))\(time)",
            program: "\(ScreenText.line(entry.program)) \(entry.process)", isFailure: entry.outcome != "ok")
    }
}
