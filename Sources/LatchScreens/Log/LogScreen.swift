public import FoundationEssentials
import LatchKit
public import Observation

/// The log of recent operations with servers, by all programs that share the accounts. It contains no secrets.
///
/// A front end runs ``run()`` while the screen is shown.
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
    @ObservationIgnored private let clearing = ScreenTask()

    init(_ log: ClientLog) { self.log = log }

    /// Follows the log, to which all programs write, until the task is cancelled.
    public func run() async {
        for await _ in log.changes {
            let rows = await Self.rows(of: log)
            if Task.isCancelled { return }
            if state.rows != rows || state == .loading { state = .loaded(rows, nil) }
        }
    }

    /// Deletes all entries.
    public func clear() {
        clearing.start { [log, weak self] isCurrent in
            do {
                try await Self.clear(log)
                if isCurrent() { self?.state = .loaded([], nil) }
            } catch {
                if isCurrent(), let self { self.state = self.state.failed(error) }
            }
        }
    }

    @concurrent
    private static func rows(of log: ClientLog) async -> [Row] { log.entries().reversed().map(row) }

    @concurrent
    private static func clear(_ log: ClientLog) async throws { try log.clear() }

    nonisolated private static func row(_ entry: LogEntry) -> Row {
        let time = entry.milliseconds.map { " in \($0) ms" } ?? ""
        return Row(
            time: entry.time, server: ScreenText.line(entry.server),
            text: "\(entry.action.rawValue): \(ScreenText.line(entry.outcome))\(time)",
            program: "\(ScreenText.line(entry.program)) \(entry.process)", isFailure: entry.outcome != "ok")
    }
}
