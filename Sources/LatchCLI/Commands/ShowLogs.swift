import Arguments
import LatchKit
import Primitives
import Terminal

/// `latch logs`: shows what this device's programs recently did with servers.
struct ShowLogs: ExecutableCommand {
    private static let follow = Flag("follow", short: "f", help: "Go on with new lines until Ctrl-C.")
    private static let clear = Flag("clear", help: "Remove all lines.")

    static let command = Command<Request>(
        "logs", "Show sign-ins, renewals, sign-outs and what kept them from it.",
        discussion: """
            A small file below XDG_STATE_HOME, which every program that uses the accounts writes: time, server, act, \
            outcome, how long it took, program. It never holds a secret, a path or a person's name. LATCH_LOG=off keeps \
            none. With --follow and --json each line is a value of its own.
            """,
        arguments: [follow, clear]
    ) { given throws(ArgumentError) in
        if given[follow], given[clear] { throw given.mistake("give either --follow or --clear") }
        return Request(given, ShowLogs(isFollowing: given[follow], isClearing: given[clear]))
    }

    private let isFollowing: Bool
    private let isClearing: Bool

    func perform(in context: CommandContext) async throws -> ExitCode {
        let log = try await context.latchstring().log
        if isClearing {
            try log.clear()
            try context.console.result(["The log is empty now."], json: ["entries": []])
            return .done
        }
        var entries = log.entries()
        if isFollowing { return try await follow(log, &entries, context) }
        try context.console.result(
            entries.map(Self.line), json: ["entries": .array(entries.map(Self.json))])
        if log.path == nil { context.console.note("No log is kept: LATCH_LOG says so.") }
        return .done
    }

    /// Prints new entries, and checks for them four times a second. Log files are rotated, so an entry is new when it
    /// was not seen before.
    private func follow(_ log: ClientLog, _ entries: inout [LogEntry], _ context: CommandContext) async throws
        -> ExitCode
    {
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
        guard context.console.isJSON else { return try context.console.say([Self.line(entry)]) }
        try context.console.raw(Self.json(entry).encoded() + [UInt8(ascii: "\n")])
    }

    private static func line(_ entry: LogEntry) -> String {
        let time = entry.milliseconds.map { " in \($0) ms" } ?? ""
        return "\(entry.time.forPrograms)  \(entry.server.printable)  \(entry.act.rawValue)  \(entry.outcome.printable)"
            + "\(time)  (\(entry.program.printable) \(entry.process))"
    }

    private static func json(_ entry: LogEntry) -> JSONValue {
        .object([
            .init("time", .string(entry.time.forPrograms)), .init("program", .string(entry.program)),
            .init("process", .number(Double(entry.process))), .init("act", .string(entry.act.rawValue)),
            .init("server", .string(entry.server)), .init("outcome", .string(entry.outcome)),
            .init("milliseconds", entry.milliseconds.map { .number(Double($0)) } ?? .null),
        ])
    }
}
