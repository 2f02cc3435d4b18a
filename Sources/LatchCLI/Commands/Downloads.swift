import Arguments
import FoundationEssentials
import HTTPMessages
import LatchDownloads
import LatchKit
import Primitives
import Terminal

/// `latch downloads`: lists the tasks of the queue, and changes them.
enum Downloads {
    static let command = Command<Request>(
        "downloads", "List and control downloads.",
        discussion: """
            Commands take effect immediately in a 'latch download' that runs elsewhere.

            An ID is the value that 'list' shows in the column ID, or the URL that was given. The part of a URL after \
            '?' may be a secret: leave it out if only one file has that path.

            Exit codes: \(ExitCode.done.rawValue), even if there was nothing to do; \(ExitCode.badInput.rawValue) if \
            an ID does not exist, or the command does not apply to it. The other IDs are processed. 'watch' ends like \
            the 'latch download' that it watches.
            """,
        commands: [
            ListDownloads.command, WatchDownloads.command, Unfollow.command,
            command("pause", "Pause files; received data is kept.", for: [.waiting, .running]) {
                try await $0.pause($1, of: $2)
            },
            command("resume", "Continue paused files.", for: [.paused], fetches: true) {
                try await $0.resume($1, of: $2)
            },
            command(
                "retry", "Try failed files again, and immediately those that wait for a certain time.",
                for: [.failed, .waiting], fetches: true
            ) {
                try await $0.retryFailed($1, of: $2)
            },
            command("cancel", "Remove files from the queue.", for: [.waiting, .running, .paused]) {
                queue, ids, account in
                guard let ids else { return try await queue.cancelAll(of: account) }
                return try await queue.cancel(ids, of: account)
            },
            command("clear", "Remove finished entries; the files are kept.", for: [.done, .skipped, .failed]) {
                try await $0.clear($1, of: $2)
            },
        ])

    private static let ids = RemainingArguments<String>("ID", help: "The files. Default: all.")
    fileprivate static let account = Option<String>(
        "account", short: "a", value: "ACCOUNT", defaultText: "every account", completion: AccountOption.completion,
        help: "Only files of this account, by its number, e-mail address, server or the beginning of its id.")

    private static func command(
        _ name: String, _ summary: String, for states: Set<StateArgument>, fetches: Bool = false,
        action: @escaping @Sendable (DownloadQueue, [String]?, Account.ID?) async throws -> Int
    ) -> Command<Request> {
        Command<Request>(name, summary, arguments: [ids, account]) { given in
            let chosen = given[ids]
            return Request(
                given,
                CommandDownloads(
                    words: chosen, selector: given[account], name: name, states: states, fetches: fetches,
                    action: action))
        }
    }
}

/// `latch downloads watch`: shows the progress of a queue that another program runs.
private struct WatchDownloads: ExecutableCommand {
    static let command = Command<Request>(
        "watch", "Show the progress of a 'latch download' that runs elsewhere.",
        discussion: "Ends together with that 'latch download'. Ctrl-C ends only the display."
    ) { given in Request(given, WatchDownloads()) }

    var isNonInteractive: Bool { true }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let queue = try await DownloadDestination().open(context, isChoosing: false).queue
        if try !queue.isRunningSomewhere(), !context.console.isJSON {
            context.console.printMessage("No download is running. To start or continue: latch download")
            return .done
        }
        return try await DownloadDisplay(console: context.console).watch(queue)
    }
}

/// `latch downloads unfollow`: ends the following of libraries in the background.
private struct Unfollow: ExecutableCommand {
    static let command = Command<Request>(
        "unfollow", "No longer download new pictures in the background.",
        discussion: """
            Ends what 'latch download --all --follow --background' started. Files in the queue stay there, and \
            downloaded files are kept.
            """,
        arguments: [Downloads.account]
    ) { given in Request(given, Unfollow(selector: given[Downloads.account])) }

    let selector: String?

    var isNonInteractive: Bool { true }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let followed = FollowedLibraries(try await context.client())
        let account = selector == nil ? nil : try await context.account(selector).id
        let count = try await followed.remove(account)
        if try await followed.all().isEmpty { DownloadService(.following).remove() }
        let sentence =
            switch count {
            case 0: "No library was followed."
            case 1: "1 library is no longer followed."
            default: "\(count) libraries are no longer followed."
            }
        try context.console.result([sentence], json: ["libraries": .number(Double(count))])
        let queue = try await DownloadDestination().open(context, isChoosing: false).queue
        let open = try await queue.progress().open
        if count > 0, open > 0, !context.console.isJSON {
            context.console.printMessage(
                "\(open == 1 ? "1 file waits" : "\(open) files wait") in the queue. To download: latch download")
        }
        return .done
    }
}

/// `latch downloads list`: prints the tasks of the queue.
private struct ListDownloads: ExecutableCommand {
    private static let states = OptionList<StateArgument>(
        "state", value: "STATE", help: "Only files in this state.")

    static let command = Command<Request>(
        "list", "List files with state, id, size, failed attempts, name and reason.",
        arguments: [states, Downloads.account]
    ) { given in
        Request(given, ListDownloads(selector: given[Downloads.account], states: Set(given[states].map(\.rawValue))))
    }

    let selector: String?
    let states: Set<String>

    var isNonInteractive: Bool { true }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let account = selector == nil ? nil : try await context.account(selector).id
        let queue = try await DownloadDestination().open(context, isChoosing: false).queue
        // A task that a killed program has left as running is shown as waiting.
        let isFetched = try queue.isRunningSomewhere()
        let problem = isFetched ? try await queue.diskProblem() : nil
        let pauses = Dictionary(try await queue.pauses().map { ($0.host, $0) }) { first, _ in first }
        // The list is printed while it is read, because it may have any length.
        var (last, count) = (0, 0)
        if context.console.isJSON { try context.console.raw(Array("{\"downloads\":[".utf8)) }
        while case let page = try await queue.tasks(after: last), let end = page.last {
            last = end.position
            let page = page.map { row in
                var row = row
                if !isFetched, row.state == .running { row.state = .waiting }
                return row
            }.filter { row in
                account.map { $0 == row.task.account } ?? true && (states.isEmpty || states.contains(row.state.word))
            }
            if page.isEmpty { continue }
            if context.console.isJSON {
                let rows = page.map {
                    let row = Self.json($0, pause: pauses[$0.host], problem: problem)
                    return String(decoding: row.encoded(), as: UTF8.self)
                }
                try context.console.raw(Array(((count > 0 ? "," : "") + rows.joined(separator: ",")).utf8))
            } else {
                if count == 0 { try context.console.printLines([context.console.output.strong(Self.heading)]) }
                try context.console.printLines(page.map { Self.line($0, pause: pauses[$0.host], problem: problem) })
            }
            count += page.count
        }
        let latch = try await context.client()
        let (list, accounts) = (FollowedLibraries(latch), try await latch.accounts.accounts())
        let isRunning = try list.isRunning()
        let followed = try await list.all().compactMap { library in
            accounts.first { $0.id == library.account }.map { (library, $0) }
        }
        if context.console.isJSON {
            let all = JSONValue.array(
                followed.map { library, account in
                    [
                        "account": .string(account.id.uuidString), "folder": .string(library.location.folder),
                        "isRunning": .bool(isRunning && account.isSignedIn),
                    ]
                })
            try context.console.raw(Array("],\"followed\":".utf8) + all.encoded() + Array("}\n".utf8))
        } else {
            if count == 0 { context.console.printMessage(emptyMessage) }
            for (library, account) in followed {
                context.console.printMessage(Self.line(library, account, isRunning: isRunning))
            }
        }
        return .done
    }

    private static func line(_ library: FollowedLibrary, _ account: Account, isRunning: Bool) -> String {
        let pictures = "New pictures of \(account.userEmail.printable) at \(account.serverURL)"
        guard account.isSignedIn else {
            return "\(pictures) are not downloaded, because you are signed out. Sign in: latch login "
                + account.serverURL.url.forShell
        }
        let place = "to '\(library.location.folder.printable)'"
        return isRunning
            ? "\(pictures) are downloaded \(place) in the background."
            : "\(pictures) are not downloaded \(place), because the background program does not run. To start it: "
                + "latch download --follow --background"
    }

    /// The message for an empty list.
    private var emptyMessage: String {
        let list = states.sorted().map { "'\($0)'" }.joined(separator: " or ")
        let ofAccount = selector == nil ? "" : " of this account"
        guard states.isEmpty else { return "No files\(ofAccount) are \(list)." }
        return ofAccount.isEmpty
            ? "The queue is empty. To select files: latch download --help" : "No files\(ofAccount) are in the queue."
    }

    private static let heading = columns(
        state: "STATE", id: "ID", size: "SIZE", tries: "TRIES", name: "NAME", reason: "REASON")

    private static func columns(
        state: String, id: String, size: String, tries: String, name: String, reason why: String
    ) -> String {
        let (state, id) = (state.padding(toLength: 8), id.padding(toLength: 36))
        let line = "\(state) \(id)  \(size.padding(toLength: -7))  \(tries.padding(toLength: -5))  \(name)"
        return why.isEmpty ? line : line + "  " + why
    }

    private static func line(_ row: QueuedTask, pause: HostPause?, problem: WaitReason?) -> String {
        var why = reason(for: row, pause: pause, problem: problem) ?? ""
        if let time = time(row, pause) { why = "not before \(time.localTimeText): " + why }
        return columns(
            state: row.state.word, id: row.task.id.printable, size: row.bytes.map { TransferText.bytes($0) } ?? "",
            tries: "\(row.attempts)", name: row.task.filename.printable, reason: why.printable)
    }

    /// Returns the time before which a waiting file is not tried. Nil when that time has passed.
    private static func time(_ row: QueuedTask, _ pause: HostPause?) -> Date? {
        guard row.state == .waiting else { return nil }
        let time = max(row.notBefore, pause?.until ?? .distantPast)
        return time > Date() ? time : nil
    }

    private static func reason(for row: QueuedTask, pause: HostPause?, problem: WaitReason?) -> String? {
        switch row.state {
        case .skipped(let reason), .failed(let reason): reason
        case .waiting: row.waitReason ?? pause?.reason ?? problem?.sentence
        case .running, .paused, .done: nil
        }
    }

    private static func json(_ row: QueuedTask, pause: HostPause?, problem: WaitReason?) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("id", .string(row.task.id)), .init("account", .string(row.task.account.uuidString.lowercased())),
            .init("state", .string(row.state.word)), .init("filename", .string(row.task.filename)),
            .init("group", .string(row.task.group.rawValue)), .init("attempts", .number(Double(row.attempts))),
        ]
        if let size = row.bytes { members.append(.init("bytes", .number(Double(size)))) }
        if row.state == .done, let path = row.path { members.append(.init("path", .string(path))) }
        if let reason = reason(for: row, pause: pause, problem: problem) {
            members.append(.init("reason", .string(reason)))
        }
        if let time = time(row, pause) { members.append(.init("notBefore", .string(time.formatted(.iso8601)))) }
        return .object(members)
    }
}

/// The words of `--state`.
enum StateArgument: String, CaseIterable, ArgumentValue {
    case waiting
    case running
    case paused
    case done
    case skipped
    case failed
}

extension String {
    /// Pads the text with spaces on the right, or on the left when the length is negative.
    fileprivate func padding(toLength length: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(length) - count))
        return length < 0 ? blanks + self : self + blanks
    }
}
