import Arguments
import FoundationEssentials
import LatchDownloads
import LatchKit
import Terminal

/// `latch downloads`: what waits to come home, and what became of it.
enum Downloads {
    static let command = Command<Request>(
        "downloads", "See and command what comes home.",
        discussion: """
            Commands reach a 'latch download' that runs elsewhere within a moment.

            Exit codes: \(ExitCode.done.rawValue), also where there was nothing to do; \(ExitCode.badInput.rawValue) when an ID \
            is not there. 'watch' ends as the 'latch download' that it watches.
            """,
        commands: [
            ListDownloads.command, WatchDownloads.command,
            command("pause", "Let files rest; what has come stays.") { try await $0.pause($1, of: $2) },
            command("resume", "Let paused files go on.", fetches: true) { try await $0.resume($1, of: $2) },
            command("retry", "Try again what failed.", fetches: true) { try await $0.retryFailed($1, of: $2) },
            command("cancel", "Take files out of the queue.") { queue, ids, account in
                guard let ids else { return try await queue.cancelAll(of: account) }
                var count = 0
                for id in ids where try await queue.cancel(id, of: account) { count += 1 }
                return count
            },
            command("clear", "Forget what is over; the files stay.") { try await $0.clear($1, of: $2) },
        ])

    private static let ids = RemainingArguments<String>("ID", help: "Which; all when left out.")
    fileprivate static let account = Option<String>(
        "account", short: "a", value: "ACCOUNT", defaultText: "every account", completion: AccountOption.completion,
        help: "Only of this account: its number, e-mail, server or the beginning of its id.")

    private static func command(
        _ name: String, _ summary: String, fetches: Bool = false,
        _ act: @escaping @Sendable (DownloadQueue, [String]?, Account.ID?) async throws -> Int
    ) -> Command<Request> {
        Command<Request>(name, summary, arguments: [ids, account]) { given in
            let chosen = given[ids]
            return Request(
                given,
                CommandDownloads(
                    ids: chosen.isEmpty ? nil : chosen, selector: given[account], name: name, fetches: fetches, act: act
                ))
        }
    }
}

/// One command to the queue.
private struct CommandDownloads: Performing {
    let ids: [String]?
    let selector: String?
    let name: String
    /// Whether there is something to fetch after it.
    let fetches: Bool
    let act: @Sendable (DownloadQueue, [String]?, Account.ID?) async throws -> Int

    var asksNobody: Bool { true }

    func perform(in run: Run) async throws -> ExitCode {
        let account = selector == nil ? nil : try await run.account(selector).id
        let queue = try await DownloadPlace().open(run, isChoosing: false).queue
        let count = try await act(queue, ids, account)
        if let ids, count == 0 {
            throw LatchError(
                .invalidInput,
                "There is nothing to \(name) by '\(ids.map(Self.shown).joined(separator: ", "))'. "
                    + "See what there is: latch downloads list")
        }
        try run.console.result(
            [count == 1 ? "1 file." : "\(count) files."], json: ["files": .number(Double(count))])
        if fetches, count > 0, !run.console.isJSON, try !queue.isRunningSomewhere() {
            run.console.note(
                "\(count == 1 ? "Fetch it" : "Fetch them"): latch download; without this terminal: latch download --background"
            )
        }
        return .done
    }

    /// An id as it was given. Behind the `?` of an address may stand a secret.
    private static func shown(_ id: String) -> String {
        let bare = id.prefix { $0 != "?" }
        return (String(bare) + (bare.endIndex < id.endIndex ? "?…" : "")).printable
    }
}

/// `latch downloads watch`.
private struct WatchDownloads: Performing {
    static let command = Command<Request>(
        "watch", "Show what a 'latch download' that runs elsewhere does.",
        discussion: "It ends with that one; Ctrl-C ends the watching alone."
    ) { given in Request(given, WatchDownloads()) }

    var asksNobody: Bool { true }

    func perform(in run: Run) async throws -> ExitCode {
        let queue = try await DownloadPlace().open(run, isChoosing: false).queue
        if try !queue.isRunningSomewhere(), !run.console.isJSON {
            run.console.note("Nothing is fetched now. Begin, or go on: latch download")
        }
        return try await DownloadDisplay(console: run.console).watch(queue)
    }
}

/// `latch downloads list`.
private struct ListDownloads: Performing {
    private static let states = OptionList<StateWord>(
        "state", value: "STATE", help: "Only what stands so.")

    static let command = Command<Request>(
        "list", "List them: state, name, and why.", arguments: [states, Downloads.account]
    ) { given in
        Request(given, ListDownloads(selector: given[Downloads.account], states: Set(given[states].map(\.rawValue))))
    }

    let selector: String?
    let states: Set<String>

    var asksNobody: Bool { true }

    func perform(in run: Run) async throws -> ExitCode {
        let account = selector == nil ? nil : try await run.account(selector).id
        let queue = try await DownloadPlace().open(run, isChoosing: false).queue
        // The list is written as it is read: it may be of any length.
        var (last, count) = (0, 0)
        if run.console.isJSON { try run.console.raw(Array("{\"downloads\":[".utf8)) }
        while case let page = try await queue.tasks(after: last), let end = page.last {
            last = end.position
            let page = page.filter { row in
                account.map { $0 == row.task.account } ?? true && (states.isEmpty || states.contains(row.state.word))
            }
            if page.isEmpty { continue }
            if run.console.isJSON {
                let rows = page.map { String(decoding: Self.json($0).encoded(), as: UTF8.self) }
                try run.console.raw(Array(((count > 0 ? "," : "") + rows.joined(separator: ",")).utf8))
            } else {
                try run.console.say(page.map(Self.line))
            }
            count += page.count
        }
        if run.console.isJSON {
            try run.console.raw(Array("]}\n".utf8))
        } else if count == 0 {
            run.console.note(
                account == nil && states.isEmpty ? "Nothing waits. Begin: latch download --help" : "There is none such."
            )
        }
        return .done
    }

    private static func line(_ row: QueuedTask) -> String {
        let word = row.state.word.padding(toLength: 8)
        let reason =
            switch row.state {
            case .skipped(let reason), .failed(let reason): "  " + reason.printable
            default: ""
            }
        return "\(word) \(row.task.id.printable)  \(row.task.filename.printable)\(reason)"
    }

    private static func json(_ row: QueuedTask) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("id", .string(row.task.id)), .init("account", .string(row.task.account.uuidString.lowercased())),
            .init("state", .string(row.state.word)), .init("filename", .string(row.task.filename)),
            .init("group", .string(row.task.group.rawValue)), .init("attempts", .number(Double(row.attempts))),
        ]
        if let size = row.task.metadata.size { members.append(.init("bytes", .number(Double(size)))) }
        if row.state == .done, let path = row.path { members.append(.init("path", .string(path))) }
        switch row.state {
        case .skipped(let reason), .failed(let reason): members.append(.init("reason", .string(reason)))
        default: break
        }
        return .object(members)
    }
}

/// The words of `--state`.
enum StateWord: String, CaseIterable, ArgumentValue {
    case waiting
    case running
    case paused
    case done
    case skipped
    case failed
}

extension String {
    fileprivate func padding(toLength length: Int) -> String {
        count >= length ? self : self + String(repeating: " ", count: length - count)
    }
}
