import Arguments
import Foundation
import LatchDownloads
import LatchKit
import Terminal

/// `latch download`: brings files home.
struct DownloadFiles: Performing {
    private static let what = RemainingArguments<String>(
        "FILE", help: "Ids of pictures, or addresses: paths below the server's, or whole ones.")
    private static let album = OptionList<String>("album", value: "ALBUM", help: "An album, by its name or id.")
    private static let whole = Flag("all", help: "Everything in the library.")
    private static let favourites = Flag("favourites", help: "Only what is a favourite.")
    private static let from = Option<Day>(
        "from", value: "DAY", help: "Only what was taken on that day or later; a month or a year will do.")
    private static let until = Option<Day>(
        "until", value: "DAY", help: "Only what was taken on that day or before, or in that month or year.")
    private static let folder = Option<String>(
        "to", value: "FOLDER", environment: "LATCH_DOWNLOADS", defaultText: "Immich in your pictures' folder",
        completion: .file, help: "Where the files go.")
    private static let dryRun = Flag("dry-run", help: "Say how many files and bytes it would be, and fetch nothing.")

    static let command = Command<Request>(
        "download", "Bring files home.",
        discussion: """
            Files come whole or not at all, six at once. Stopped or killed, 'latch download' alone goes on where it was. \
            'latch downloads' shows and commands what waits.

            With --json each event is one line of JSON.
            """,
        arguments: [what, album, whole, favourites, from, until, folder, dryRun, AccountOption.option]
    ) { given throws(ArgumentError) in
        var wish = DownloadWish(
            albums: given[album], isWholeLibrary: given[whole], isFavouritesOnly: given[favourites],
            takenFrom: given[from]?.start, takenBefore: given[until]?.end)
        if let from = wish.takenFrom, let end = wish.takenBefore, from >= end {
            throw given.mistake("--from is later than --until")
        }
        for text in given[what] {
            if text.contains("/") { wish.paths.append(text) } else { wish.ids.append(text) }
        }
        if given[dryRun], wish.isEmpty { throw given.mistake(nothingChosen) }
        return Request(
            given,
            DownloadFiles(
                selector: given[AccountOption.option], wish: wish, folder: given[folder], isDryRun: given[dryRun]))
    }

    private static let nothingChosen = "nothing was chosen: give ids, addresses, --album, --from, --favourites or --all"

    private let selector: String?
    private let wish: DownloadWish
    private let folder: String?
    private let isDryRun: Bool

    func perform(in run: Run) async throws -> ExitCode {
        let queue = try await DownloadPlace(folder: folder).queue(run)
        if isDryRun { return try await tell(run) }
        if wish.isEmpty {
            guard try await queue.progress().open > 0 else {
                throw LatchError(.usage, "latch download: \(Self.nothingChosen)")
            }
            try await run.openSecrets()
        } else {
            try await choose(queue, run)
            guard try await queue.progress().open > 0 else { return .done }
        }
        guard try !queue.isRunningSomewhere() else {
            run.console.note("Another 'latch download' is at it and takes these too. Watch it: latch downloads watch")
            return .done
        }
        do {
            return try await DownloadDisplay(console: run.console).show(queue)
        } catch is CancellationError {
            if !run.console.isJSON { run.console.note("What has come stays. Go on with: latch download") }
            throw CancellationError()
        }
    }

    private func choose(_ queue: DownloadQueue, _ run: Run) async throws {
        var (found, added) = (0, 0)
        try await eachPage(run) { tasks in
            found += tasks.count
            added += try await queue.add(tasks)
        }
        guard !run.console.isJSON else { return }
        run.console.note(
            found == 0
                ? "Nothing there is what you want." : added == 1 ? "1 file to fetch." : "\(added) files to fetch.")
    }

    private func tell(_ run: Run) async throws -> ExitCode {
        var (files, bytes, unknown) = (0, 0, 0)
        try await eachPage(run) { tasks in
            files += tasks.count
            bytes += tasks.reduce(0) { $0 + ($1.metadata.size ?? 0) }
            unknown += tasks.count { $0.metadata.size == nil }
        }
        let more = unknown == 0 ? "" : ", and \(unknown) of unknown size"
        try run.console.result(
            ["\(files == 1 ? "1 file" : "\(files) files"), \(ByteText.of(bytes))\(more)."],
            json: [
                "files": .number(Double(files)), "bytes": .number(Double(bytes)),
                "filesOfUnknownSize": .number(Double(unknown)),
            ])
        return .done
    }

    /// Finds what is wished for. A whole address leads to the account whose server it is on, unless one is named.
    private func eachPage(_ run: Run, _ take: ([DownloadTask]) async throws -> Void) async throws {
        var rest = wish
        rest.paths = []
        if selector == nil {
            let accounts = try await run.latchstring().accounts.accounts()
            for path in wish.paths {
                guard let other = accounts.filter({ Self.isOn($0, path) }).first(where: \.isSignedIn) else {
                    rest.paths.append(path)
                    continue
                }
                let (account, session) = try await run.session(other.id.uuidString)
                try await DownloadChooser(account, session).find(DownloadWish(paths: [path]), take)
            }
        } else {
            rest.paths = wish.paths
        }
        guard !rest.isEmpty else { return }
        let (account, session) = try await run.session(selector)
        try await DownloadChooser(account, session).find(rest, take)
    }

    private static func isOn(_ account: Account, _ path: String) -> Bool {
        !account.isActive && path.hasPrefix(account.serverURL.url + "/")
    }
}
