import Arguments
import FoundationEssentials
import LatchDownloads
import LatchKit
import Primitives
import Terminal

/// `latch download`: chooses files and fetches them.
struct DownloadFiles: ExecutableCommand {
    private static let what = RemainingArguments<String>(
        "FILE", help: "Ids of pictures, or URLs: paths below the server's address, or complete URLs.")
    private static let album = OptionList<String>("album", value: "ALBUM", help: "An album, by its name or id.")
    private static let whole = Flag("all", help: "Everything in the library.")
    private static let favourites = Flag("favourites", help: "Only favourites.")
    private static let locked = Flag(
        "locked", help: "The locked folder of Immich. Asks for the PIN, and locks the folder again at the end.")
    private static let pinFromInput = Flag(
        "pin-stdin", help: "With --locked: read the PIN from the first line of standard input, and do not prompt.")
    private static let from = Option<Day>(
        "from", value: "DAY", help: "Only pictures taken on that day or later. A month or a year is allowed.")
    private static let until = Option<Day>(
        "until", value: "DAY", help: "Only pictures taken until the end of that day, month or year.")
    private static let folder = Option<String>(
        "to", value: "FOLDER", defaultText: "the account's last folder, else Immich in your pictures folder",
        completion: .file,
        help: "The folder for the files.")
    private static let makes = Flag(
        "make-folder", help: "Use a folder to which files were saved before, even if it is missing or empty now.")
    private static let layout = Option<LayoutArgument>(
        "layout", value: "LAYOUT", defaultText: "the folder's layout, else flat",
        help: "How files are arranged: in one folder, as on a camera's card (100IMMIC), or by month (2026/07).")
    private static let motion = Flag(
        "motion-photo", help: "Save each live photo as one file, as Pixel and Galaxy phones do. Stored for the folder.")
    private static let noMotion = Flag(
        "no-motion-photo", help: "Save each live photo as two files, as in a new folder. Stored for the folder.")
    private static let background = Flag(
        "background", help: "Download without this terminal, and continue after a crash or a restart of the machine.")
    private static let following = Flag(
        "follow",
        help: "With --all: stay, and download new pictures as they appear, until Ctrl-C; in the background with "
            + "--background, until 'latch downloads unfollow'.")
    private static let metered = Flag(
        "metered", help: "Download on metered networks too. Default: the setting of the desktop app, else off.")
    private static let keepTrying = Flag(
        "keep-trying", help: "Wait without a limit for a server that cannot be reached, as in the background.")
    private static let parallel = Option<ParallelLimit>(
        "parallel", value: "NUMBER", defaultText: "6, at most 3 of one kind",
        help: "How many files to download at the same time, from 1 to 32.")
    private static let again = Flag(
        "again", help: "Download files from URLs again, next to the existing files.")
    private static let dryRun = Flag(
        "dry-run", help: "Show how many files and bytes would be downloaded, and download nothing.")

    static let command = Command<Request>(
        "download", "Download files.",
        discussion: """
            Each file is downloaded completely or not at all, six at the same time. After an interruption 'latch \
            download' without arguments continues. 'latch downloads' lists and controls the queue. Downloads pause \
            while there is no network.

            With --json each event is one line of JSON. With --dry-run or --background, and for a failure, standard \
            output is one JSON value, as with every other command.

            Exit codes: \(ExitCode.done.rawValue) if all files were downloaded, are already here, no longer exist in \
            the library, or were paused by you; \(ExitCode.failed.rawValue) if something failed, including a missing \
            file at a URL; \(ExitCode.signIn.rawValue) if an account must sign in again; \
            \(ExitCode.interrupted.rawValue) after Ctrl-C. 'latch --help' lists the exit codes for downloads that \
            cannot start.
            """,
        arguments: [
            what, album, whole, favourites, locked, pinFromInput, from, until, folder, makes, layout, motion, noMotion,
            parallel,
            keepTrying,
            background,
            following,
            metered,
            again,
            dryRun,
            AccountOption.option,
        ]
    ) { given throws(ArgumentError) in
        var selection = DownloadSelection(
            albums: given[album], isWholeLibrary: given[whole], isFavouritesOnly: given[favourites],
            isLockedFolder: given[locked], takenFrom: given[from]?.start, takenBefore: given[until]?.end)
        if let from = selection.takenFrom, let end = selection.takenBefore, from >= end {
            throw given.usageError("--from is later than --until")
        }
        if selection.isWholeLibrary, !selection.albums.isEmpty {
            throw given.usageError("--all includes every album: give either --all or --album")
        }
        if given[motion], given[noMotion] {
            throw given.usageError("--motion-photo and --no-motion-photo cannot be combined")
        }
        if given[folder] == "" { throw given.usageError("--to needs the path of a folder") }
        for text in given[what] {
            if text.contains("/") { selection.paths.append(text) } else { selection.ids.append(text) }
        }
        if given[again], selection.paths.isEmpty || !selection.ids.isEmpty || selection.isSearch {
            throw given.usageError(
                "--again is only for URLs of files: pictures are downloaded again when they change on the server")
        }
        if given[following] {
            // Without a selection, the libraries of the list are followed.
            let isOfList = selection.isEmpty && (given[background] || given[keepTrying])
            guard isOfList || selection.isWholeLibrary && selection.ids.isEmpty && selection.paths.isEmpty else {
                throw given.usageError("--follow needs --all, and no ids or URLs")
            }
            if given[dryRun] { throw given.usageError("--follow and --dry-run cannot be combined") }
            let hasPlace =
                given[folder] != nil || given[layout] != nil || given[motion] || given[noMotion] || given[makes]
            if isOfList, hasPlace || given[AccountOption.option] != nil {
                throw given.usageError("--to, --make-folder, --layout, --[no-]motion-photo and --account need --all")
            }
        }
        if given[locked] {
            guard !selection.isWholeLibrary, selection.albums.isEmpty, selection.ids.isEmpty, selection.paths.isEmpty
            else { throw given.usageError("--locked cannot be combined with --all, --album, ids or URLs") }
            guard !given[background] else {
                throw given.usageError("--locked cannot be combined with --background: the PIN is not stored")
            }
        } else if given[pinFromInput] {
            throw given.usageError("--pin-stdin needs --locked")
        }
        if given[dryRun], given[background] { throw given.usageError("--dry-run and --background cannot be combined") }
        if given[dryRun], selection.isEmpty { throw given.usageError(nothingChosen) }
        return Request(
            given,
            DownloadFiles(
                selector: given[AccountOption.option], selection: selection,
                place: DownloadDestination(
                    folder: given[folder], layout: given[layout]?.layout,
                    keepsMotionPhotos: given[motion] ? true : given[noMotion] ? false : nil,
                    parallelLimit: given[parallel], keepsTrying: given[keepTrying]),
                makesFolder: given[makes], fetchesExisting: given[again], isDryRun: given[dryRun],
                isBackground: given[background], isFollowing: given[following],
                isMetered: given[metered], readsPIN: given[pinFromInput]))
    }

    private static let nothingChosen =
        "no files were selected: give ids, URLs, --album, --from, --favourites, --locked or --all"

    var selector: String?
    var selection: DownloadSelection
    var place: DownloadDestination
    let makesFolder: Bool
    let fetchesExisting: Bool
    let isDryRun: Bool
    let isBackground: Bool
    let isFollowing: Bool
    let isMetered: Bool
    let readsPIN: Bool

    /// A download in the background must not ask, because it has no terminal.
    var isNonInteractive: Bool { isBackground || readsPIN }

    func perform(in context: CommandContext) async throws -> ExitCode {
        selection.isLockedFolder ? try await performUnlocked(in: context) : try await performChoosing(in: context)
    }

    func performChoosing(in context: CommandContext) async throws -> ExitCode {
        var chosen = self
        while true {
            do {
                return try await chosen.performOnce(in: context)
            } catch let refused as FolderRefused {
                guard context.prompter.isAvailable, !context.console.isJSON else { throw refused.error }
                context.console.fail(refused.error, hint: nil)
                let folder = try await context.prompter.ask("Another folder", instead: "Give it with --to FOLDER")
                guard !folder.isEmpty else { throw refused.error }
                chosen.place.folder = folder
            }
        }
    }

    /// An error for a folder that cannot be used, thrown before anything is added to the queue.
    struct FolderRefused: Error { let error: LatchError }

    private func performOnce(in context: CommandContext) async throws -> ExitCode {
        let (queue, library) = try await place.open(context, isChoosing: !selection.isEmpty, of: selector)
        if isDryRun { return try await report(library, context) }
        let background = BackgroundDownload(context: context, isMetered: isMetered, destination: place)
        if isFollowing, selection.isEmpty {
            let libraries = FollowLibraries(context, background)
            return isBackground ? try await libraries.start(nil) : try await libraries.run()
        }
        if selection.isEmpty {
            guard try await queue.progress().open > 0 else {
                // A service has only --keep-trying, and must not fail at each sign-in.
                if isBackground || place.keepsTrying {
                    return try background.nothingLeft(.queue, "No files are waiting to be downloaded.")
                }
                guard makesFolder, context.common.isJSON == false else {
                    throw LatchError(.usage, "latch download: \(Self.nothingChosen)")
                }
                try await queue.prepareFolder(isNew: true)
                context.console.printMessage(
                    "The folder '\(library.folder.printable)' can be used. To select files: latch download --help"
                )
                return .done
            }
            // With --keep-trying, as in a service, the queue itself waits for a drive that is mounted later.
            if makesFolder || !place.keepsTrying { try await queue.prepareFolder(isNew: makesFolder) }
            try await context.openSecrets()
        } else {
            if selection.isLockedFolder { return try await fetchLocked(queue, library, background, context) }
            let start = ContinuousClock.now
            try await addSelection(to: queue, in: library, context)
            if isFollowing { return try await follow(queue, library, since: start, background, context) }
            guard try await queue.progress().open > 0 else { return .done }
        }
        guard try await !queue.isFetchedElsewhere() else { return reportOtherRun(context) }
        if isBackground { return try await background.start(.queue) }
        do {
            return try await background.run(queue)
        } catch let error as LatchError where error.code == .storageLocked {
            return reportOtherRun(context)
        } catch is CancellationError {
            context.setStopMessage("Stopped. Received data is kept. To continue: latch download")
            throw CancellationError()
        }
    }

    private func reportOtherRun(_ context: CommandContext) -> ExitCode {
        context.console.printMessage(
            "Another 'latch download' is running and downloads these files too. To watch it: latch downloads watch")
        let ignoredOptions = place.ignoredOptions + (isMetered ? ["--metered"] : [])
        if !ignoredOptions.isEmpty {
            context.console.printMessage(
                "It ignores these options of this command: \(ignoredOptions.joined(separator: ", "))."
            )
        }
        return .done
    }

    func addSelection(
        to queue: DownloadQueue, in library: PictureLibrary, _ context: CommandContext, isRepeated: Bool = false,
        from followed: FollowedLibrary? = nil, onAdd: ([DownloadTask]) -> Void = { _ in }
    ) async throws {
        var files = SelectedFiles(of: selection, in: library, fetchesExisting: fetchesExisting)
        try await eachPage(context) { tasks in
            if files.found == 0 {
                do {
                    try await queue.prepareFolder(isNew: makesFolder)
                } catch let error as LatchError where [.fileFailed, .folderGone].contains(error.code) {
                    throw FolderRefused(error: error)
                }
                try await remember(library, isRepeated: isRepeated, context)
            }
            onAdd(try await files.add(tasks, to: queue, from: followed))
        }
        try await files.checkChanges(try await context.client())
        if context.console.isJSON {
            for task in files.changed {
                try context.console.result([], json: ["event": "changed", "id": .string(task.id)])
            }
        } else if !isRepeated || files.missing > 0 {
            context.console.printMessage(ChosenText.sentence(files))
            if let changes = ChosenText.changes(files) { context.console.printMessage(changes) }
        }
    }

    /// Stores the place as the person's choice. A search that is repeated must not undo a later choice.
    private func remember(_ library: PictureLibrary, isRepeated: Bool, _ context: CommandContext) async throws {
        guard !isRepeated else { return }
        let places = LibraryLocations(try await context.client())
        try await places.remember(library.location)
        if place.folder != nil, let account = try? await context.account(selector) {
            try await places.remember(library.folder, for: account)
        }
    }

    private func report(_ library: PictureLibrary, _ context: CommandContext) async throws -> ExitCode {
        var selected = SelectedFiles(of: selection, in: library, fetchesExisting: fetchesExisting)
        try await eachPage(context) { _ = try await selected.count($0) }
        try await selected.checkChanges(try await context.client())
        let (files, here) = (selected.missing, selected.found - selected.missing)
        let (bytes, unknown) = (selected.missingBytes, selected.missingOfUnknownSize)
        var line = "\(files == 1 ? "1 file" : "\(files) files") to download"
        if files > unknown { line += ", \(TransferText.bytes(bytes))" }
        if unknown > 0 { line += unknown == files ? ", of unknown size" : ", and \(unknown) of unknown size" }
        if here > 0 { line += "; \(here) already here" }
        try context.console.result(
            [line + "."],
            json: [
                "files": .number(Double(files)), "bytes": .number(Double(bytes)),
                "filesOfUnknownSize": .number(Double(unknown)), "filesHere": .number(Double(here)),
                "filesChanged": .number(Double(selected.changed.count)),
            ])
        if !context.console.isJSON, let changes = ChosenText.changes(selected) { context.console.printMessage(changes) }
        return .done
    }

    /// Passes on the selected tasks, a page at a time. A complete address selects the account of its server, unless an
    /// account is named.
    private func eachPage(_ context: CommandContext, _ take: ([DownloadTask]) async throws -> Void) async throws {
        var rest = selection
        rest.paths = []
        var others: [(account: Account, paths: [String])] = []
        let isLed = selector == nil && selection.paths.contains(where: FileAddress.isAddress)
        let accounts = isLed ? try await context.client().accounts.accounts() : []
        for path in selection.paths {
            guard isLed, FileAddress.isAddress(path) else {
                rest.paths.append(path)
                continue
            }
            let owner = try account(of: FileAddress(path), among: accounts, context)
            if let index = others.firstIndex(where: { $0.account.id == owner.id }) {
                others[index].paths.append(path)
            } else {
                others.append((owner, [path]))
            }
        }
        // All named files are looked up first, so that nothing starts when one of them is wrong.
        var single: [DownloadTask] = []
        for (account, paths) in others {
            let (account, session) = try await context.session(account.id.uuidString)
            for try await tasks in DownloadChooser(account, session).pages(of: DownloadSelection(paths: paths)) {
                single += tasks
            }
        }
        if !rest.isEmpty {
            let (account, session) = try await context.session(selector)
            for try await tasks in DownloadChooser(account, session).pages(of: rest) {
                try await take(single + tasks)
                single = []
            }
        }
        if !single.isEmpty { try await take(single) }
    }

    /// Returns the account whose server has a file: preferably the active one, then one that is signed in.
    private func account(of address: FileAddress, among accounts: [Account], _ context: CommandContext) throws
        -> Account
    {
        let there = accounts.filter { address.request(to: $0.serverURL) != nil }
        if let account = there.first(where: \.isActive) ?? there.first(where: \.isSignedIn) ?? there.first {
            return account
        }
        context.setHint(
            "Sign in: latch login \(address.origin.url.forShell); or give a URL on a server that you are signed in to: "
                + "latch accounts")
        throw LatchError(.signedOut, "You are not signed in to \(address.origin).")
    }
}

/// The words of `--layout`.
enum LayoutArgument: String, CaseIterable, ArgumentValue {
    case flat
    case dcim
    case date

    var layout: LibraryLayout {
        switch self {
        case .flat: .flat
        case .dcim: .dcim
        case .date: .date
        }
    }
}
