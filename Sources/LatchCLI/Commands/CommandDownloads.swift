import HTTPMessages
import LatchDownloads
import LatchKit
import Primitives
import Terminal

/// A command on tasks of the queue: `latch downloads pause` and similar ones.
struct CommandDownloads: ExecutableCommand {
    /// The words given for tasks. Empty selects all tasks.
    let words: [String]
    let selector: String?
    let name: String
    /// The states of tasks on which the command acts.
    let states: Set<StateArgument>
    /// Whether the tasks wait to be fetched after the command.
    let fetches: Bool
    let action: @Sendable (DownloadQueue, [String]?, Account.ID?) async throws -> Int

    var isNonInteractive: Bool { true }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let account = selector == nil ? nil : try await context.account(selector).id
        let queue = try await DownloadDestination().open(context, isChoosing: false).queue
        let chosen = try await chosen(queue, account)
        let count: Int
        if words.isEmpty {
            count = try await action(queue, nil, account)
        } else {
            count = chosen.ids.isEmpty ? 0 : try await action(queue, chosen.ids, account)
            if count == 0 { throw LatchError(.invalidInput, chosen.misses.sentence(name)) }
        }
        if !fetches { await DownloadService(.queue).remove(ifDone: queue) }
        var json: [JSONValue.Member] = [.init("files", .number(Double(count)))]
        if !chosen.misses.isEmpty { json.append(.init("missed", .array(chosen.misses.words.map { .string($0) }))) }
        try context.console.result([count == 1 ? "1 file." : "\(count) files."], json: .object(json))
        if !chosen.misses.isEmpty, !context.console.isJSON {
            context.console.printMessage(chosen.misses.sentence(name))
        }
        if fetches, count > 0, !context.console.isJSON, try !queue.isRunningSomewhere() {
            context.console.printMessage(
                "To download \(count == 1 ? "it" : "them"): latch download; in the background: "
                    + "latch download --background"
            )
        }
        return chosen.misses.isEmpty ? .done : .badInput
    }

    /// Returns the selected ids on which the command acts, and the words for which there is nothing to do.
    private func chosen(
        _ queue: DownloadQueue, _ account: Account.ID?
    ) async throws -> (ids: [String], misses: UnmatchedWords) {
        var (ids, misses): ([String], UnmatchedWords) = ([], UnmatchedWords())
        for word in words {
            let shown = Self.shown(word)
            switch try await queue.tasks(matching: word, account: account) {
            case .nothing: misses.unknown.append(shown)
            case .several(let several): misses.ambiguous.append((shown, several))
            case .tasks(let tasks):
                guard let task = tasks.first(where: { canAct(on: $0) }) else {
                    misses.idle.append((shown, tasks.first.map { StateArgument($0.state) } ?? .done))
                    continue
                }
                if !ids.contains(task.task.id) { ids.append(task.task.id) }
            }
        }
        return (ids, misses)
    }

    /// Whether the command acts on a task. A skipped part of a live photo is retried together with its other part.
    private func canAct(on task: QueuedTask) -> Bool {
        let state = StateArgument(task.state)
        return states.contains(state)
            || state == .skipped && states.contains(.failed) && fetches && task.task.metadata.liveID != nil
    }

    /// Returns a word without possible secrets: the part after `?` or `#` of an address, and the user information
    /// before its `@`. A query that is masked as in a list is kept.
    private static func shown(_ id: String) -> String {
        let bare = id.prefix(beforeBytes: "?#")
        let rest = id[bare.endIndex...]
        let host = bare.schemeMark?.upperBound ?? bare.startIndex
        var text = String(bare)
        if let at = bare[host...].prefix(beforeBytes: "/").utf8.lastIndex(of: UInt8(ascii: "@")) {
            text = bare[..<host] + "…" + bare[at...]
        }
        if let mark = rest.unicodeScalars.first { text += rest.hasPrefix("?…") ? String(rest) : "\(mark)…" }
        return text.printable
    }
}

/// The words for which there is nothing to do, by reason.
private struct UnmatchedWords {
    var unknown: [String] = []
    var idle: [(word: String, state: StateArgument)] = []
    var ambiguous: [(word: String, ids: [String])] = []

    /// The maximum number of words that one sentence names.
    private static let most = 5

    var isEmpty: Bool { unknown.isEmpty && idle.isEmpty && ambiguous.isEmpty }
    var words: [String] { unknown + idle.map(\.word) + ambiguous.map(\.word) }

    func sentence(_ name: String) -> String {
        var sentences: [String] = []
        if !unknown.isEmpty { sentences.append("Not in the queue: \(Self.list(unknown)).") }
        if !idle.isEmpty {
            let states = idle.map { "'\($0.word)' is \($0.state.rawValue)" }
            sentences.append("There is nothing to \(name): \(Self.cut(states).joined(separator: ", ")).")
        }
        for (word, ids) in ambiguous {
            sentences.append("'\(word)' matches several files; give one of: \(Self.list(ids.map(\.printable))).")
        }
        if sentences.isEmpty { sentences.append("There is nothing to \(name).") }
        return sentences.joined(separator: " ") + " List the files: latch downloads list"
    }

    private static func list(_ words: [String]) -> String { cut(words.map { "'\($0)'" }).joined(separator: ", ") }

    private static func cut(_ words: [String]) -> [String] {
        words.count <= most ? words : words.prefix(most) + ["\(words.count - most) more"]
    }
}

extension StateArgument {
    /// Creates the word of a state.
    init(_ state: DownloadState) { self = Self(rawValue: state.word) ?? .waiting }
}
