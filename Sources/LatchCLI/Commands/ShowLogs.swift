import Arguments
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// `latch logs`: shows what this device's programs recently did with servers.
struct ShowLogs: ExecutableCommand {
    private static let follow = Flag("follow", short: "f", help: "Show new entries until Ctrl-C.")
    private static let clear = Flag("clear", help: "Remove all entries.")

    static let command = Command<Request>(
        "logs", "Show recent sign-ins, renewals, sign-outs and failures.",
        discussion: """
            The log is a small file below XDG_STATE_HOME, to which every program that uses the accounts writes: time, \
            server, action, outcome, duration and program. It never contains a secret, a path or a person's name. \
            LATCH_LOG=off turns it off. With --follow and --json each line is a separate JSON value.
            """,
        arguments: [follow, clear]
    ) { given throws(ArgumentError) in
        if given[follow], given[clear] { throw given.usageError("give either --follow or --clear") }
        return Request(given, ShowLogs(isFollowing: given[follow], isClearing: given[clear]))
    }

    private let isFollowing: Bool
    private let isClearing: Bool

    func perform(in context: CommandContext) async throws -> ExitCode {
        let log = try await context.client().log
        if isClearing {
            try log.clear()
            try context.console.result(["The log was cleared."], json: ["entries": []])
            return .done
        }
        var entries = log.entries()
        if isFollowing { return try await follow(log, from: &entries, context) }
        try context.console.result(
            entries.map(Self.line), json: ["entries": .array(entries.map(Self.json))])
        if log.path == nil { context.console.printMessage("There is no log because LATCH_LOG is off.") }
        return .done
    }

    /// Prints new entries, and checks for them four times a second. Log files are rotated, so an entry is new when it
    /// was not seen before.
    private func follow(
        _ log: ClientLog, from entries: inout [LogEntry], _ context: CommandContext
    ) async throws -> ExitCode {
        for entry in entries { try show(entry, context) }
        while true {
            try await Task.sleep(for: .milliseconds(250))
            let now = log.entries()
            let new = now.difference(from: entries).insertions
            for case .insert(_, let entry, _) in new { try show(entry, context) }
            entries = now
        }
    }

    private func show(_ entry: LogEntry, _ context: CommandContext) throws {
        guard context.console.isJSON else { return try context.console.printLines([Self.line(entry)]) }
        try context.console.raw(Self.json(entry).encoded() + [UInt8(ascii: "\n")])
    }

    private static func line(_ entry: LogEntry) -> String {
        let time = entry.milliseconds.map { " in \($0) ms" } ?? ""
        return
            "\(entry.time.forPrograms)  \(entry.server.printable)  \(entry.action.rawValue)  \(entry.outcome.printable)"
            + "\(time)  (\(entry.program.printable) \(entry.process))"
    }

    private static func json(_ entry: LogEntry) -> JSONValue {
        .object([
            .init("time", .string(entry.time.forPrograms)), .init("program", .string(entry.program)),
            .init("process", .number(Double(entry.process))), .init("act", .string(entry.action.rawValue)),
            .init("server", .string(entry.server)), .init("outcome", .string(entry.outcome)),
            .init("milliseconds", entry.milliseconds.map { .number(Double($0)) } ?? .null),
        ])
    }
}
