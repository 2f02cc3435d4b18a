import LatchDownloads
import LatchKit
public import Observation

/// The question before a download: how many files, how large, and to which folder.
///
/// Files that are being added to the queue are added also when the screen is no longer shown.
///
/// Source: DL-1, DL-9, DL-11.
@MainActor @Observable
public final class LibraryDownloadScreen: CommandScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The files are being counted. The sentence says how many were found so far.
        case counting(String)
        /// The files were counted.
        case ready(LibraryDownloadSummary)
        /// The files are being added to the queue. The sentence says how many were added so far.
        case adding(String)
        /// The files are in the queue. The sentence says how many.
        case added(String)
        /// Something failed. What was added before stays in the queue.
        case failed(ScreenError)
    }

    /// Starts the programs in the background.
    public struct Background: Sendable {
        let download: @Sendable () async throws -> Void
        let follow: @Sendable () async throws -> Void

        /// Creates a value.
        ///
        /// - Parameters:
        ///   - download: Starts the program that downloads the files of the queue, unless it runs.
        ///   - follow: Starts the program that follows libraries, unless it runs.
        public init(
            download: @escaping @Sendable () async throws -> Void, follow: @escaping @Sendable () async throws -> Void
        ) {
            self.download = download
            self.follow = follow
        }
    }

    /// The texts of the screen.
    public enum Text {
        /// The button that starts the download.
        public static let download = "Download"
        /// The button that starts no download.
        public static let cancel = CommonText.cancel
        /// The button that returns to the library after the files were added.
        public static let done = "Done"
        /// The switch that keeps downloading.
        public static let follow = "Also download new pictures"
        /// The button that changes the folder.
        public static let changeFolder = "Change folder…"
        /// The heading, unless an album is downloaded.
        public static let title = "Download pictures"
        /// The button that counts the files again after something failed.
        public static let retry = "Retry"
    }

    /// What the screen shows.
    public private(set) var state = State.counting("")
    /// The heading, with the name of the album if one is downloaded.
    public let title: String
    /// The folder for the files. Nil while it is not known.
    public private(set) var folder: String?
    /// Whether the person may change the folder. False while other files wait for it.
    public private(set) var canChangeFolder = false
    /// Whether new pictures can be downloaded as they appear: when the whole library is selected.
    public let canFollow: Bool
    /// Whether new pictures are downloaded as they appear. Default: false.
    public var follows = false

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let account: Account
    @ObservationIgnored private let background: Background
    @ObservationIgnored private let selection: @Sendable () async throws -> DownloadSelection
    @ObservationIgnored private let onEnd: @MainActor () -> Void
    @ObservationIgnored let work = ScreenTask()
    @ObservationIgnored private var chosenFolder: String?
    /// Whether the person has cancelled while files were being added.
    @ObservationIgnored private var isCancelled = false
    /// Returns the free bytes of the disk with a folder. Nil when they are not known.
    @ObservationIgnored var freeBytes: (String) -> Int? = DiskSpace.freeBytes

    init(
        _ client: LatchClient, account: Account, album: LibraryAlbumRow? = nil, canFollow: Bool, background: Background,
        selection: @escaping @Sendable () async throws -> DownloadSelection, onEnd: @escaping @MainActor () -> Void
    ) {
        self.client = client
        self.account = account
        self.canFollow = canFollow
        title = album.map { "Download '\($0.name)'" } ?? Text.title
        self.background = background
        self.selection = selection
        self.onEnd = onEnd
    }

    /// Counts the files.
    func start() {
        state = .counting(Self.found(0))
        perform { [self] isCurrent in
            let (selection, library) = (try await selection(), try await library(isCurrent))
            var files = SelectedFiles(of: selection, in: library)
            for try await tasks in try chooser().pages(of: selection) {
                _ = try await files.count(tasks)
                guard isCurrent() else { return }
                state = .counting(Self.found(files.found))
            }
            if isCurrent() { state = .ready(LibraryDownloadSummary(files, in: library.folder, free: freeBytes)) }
        }
    }

    /// Counts the files again after something failed.
    public func retry() {
        if case .failed = state { start() }
    }

    /// Saves the files to another folder, and counts them again, because other files may exist there.
    ///
    /// - Parameter path: The full path.
    public func change(folder path: String) {
        guard canChangeFolder else { return }
        switch state {
        case .adding, .added: return
        case .counting, .ready, .failed:
            chosenFolder = path
            start()
        }
    }

    /// Adds the files to the queue, and starts the program that downloads them.
    public func confirm() {
        switch state {
        case .ready(let summary) where summary.canDownload || follows && canFollow: break
        default: return
        }
        state = .adding(Self.added(0))
        perform { [self] isCurrent in
            let (selection, library) = (try await selection(), try await library(isCurrent))
            let queue = DownloadQueue(client, library: library)
            var files = SelectedFiles(of: selection, in: library)
            try await queue.prepareFolder(isNew: chosenFolder != nil)
            if let chosenFolder { try await LibraryLocations(client).remember(chosenFolder, for: account) }
            for try await tasks in try chooser().pages(of: selection) {
                try await files.add(tasks, to: queue)
                if isCancelled { break }
                state = .adding(Self.added(files.missing))
            }
            if follows, canFollow, !isCancelled {
                try await FollowedLibraries(client).add(
                    FollowedLibrary(account: account.id, selection: selection, location: library.location))
                try await background.follow()
            } else if files.missing > 0 {
                try await background.download()
            }
            state = .added(Self.added(files.missing))
        }
    }

    /// Ends the question, or stops adding. What was added before stays in the queue and is downloaded.
    public func cancel() {
        if case .adding = state { isCancelled = true } else { work.cancel() }
        onEnd()
    }

    /// Ends the counting of files. ``start()`` begins again.
    func stop() {
        if case .counting = state { work.cancel() }
    }

    /// Waits until all files are in the queue.
    func finishCommands() async {
        if case .adding = state { await work.finish() }
    }

    private func perform(_ body: @escaping @MainActor (_ isCurrent: @MainActor () -> Bool) async throws -> Void) {
        work.start { isCurrent in
            do {
                try await body(isCurrent)
            } catch {
                if isCurrent() { self.state = .failed(ScreenError(error)) }
            }
        }
    }

    private func chooser() throws -> DownloadChooser {
        DownloadChooser(account, try client.session(for: account))
    }

    private func library(_ isCurrent: @MainActor () -> Bool) async throws -> PictureLibrary {
        let next = try await LibraryLocations(client).next(folder: chosenFolder, for: account)
        if isCurrent() { (folder, canChangeFolder) = (next.location.folder, next.reason != .awaited) }
        return PictureLibrary(
            client, folder: next.location.folder, layout: next.location.layout,
            keepsMotionPhotos: next.location.keepsMotionPhotos)
    }

    private static func found(_ count: Int) -> String {
        count == 0 ? "Counting the files…" : "Counting the files: \(count) so far…"
    }

    private static func added(_ count: Int) -> String {
        count == 1 ? "1 file was added to the downloads." : "\(count) files were added to the downloads."
    }
}
