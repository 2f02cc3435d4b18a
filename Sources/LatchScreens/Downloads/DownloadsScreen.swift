import FoundationEssentials
import LatchDownloads
import LatchKit
public import Observation

/// The downloads: what runs, waits, failed and is done, and the commands on it.
///
/// The screen commands the queue. The background program downloads, so closing the window changes nothing. A front end
/// runs ``run()`` while the screen is shown.
///
/// Source: DL-7, DL-9, DL-12, DL-17.
@MainActor @Observable
public final class DownloadsScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The queue is being read for the first time.
        case opening
        /// The queue could not be read.
        case failed(ScreenError)
        /// The list. The error is that of the last command.
        case list(ScreenError?)
        /// The question whether to cancel all downloads.
        case confirming
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Downloads"
        /// The button that pauses files.
        public static let pause = "Pause"
        /// The button that resumes paused files.
        public static let resume = "Resume"
        /// The button that retries failed files.
        public static let retry = CommonText.retry
        /// The button that cancels files.
        public static let cancel = CommonText.cancel
        /// The button that cancels all files.
        public static let cancelAll = "Cancel all"
        /// The button that removes ended entries.
        public static let clear = "Clear finished"
        /// The button that starts the background program.
        public static let start = "Download"
        /// The button that opens a file.
        public static let openFile = "Open"
        /// The button that opens the folder.
        public static let openFolder = "Open folder"
        /// The button that shows only the failed files.
        public static let showFailures = "Show failures"
        /// What is shown when no file is in the chosen state.
        public static let noneInState = "No file is in this state."
        /// The name of the choice of the files in the list.
        public static let filter = "Show in the list"
        /// The button to the next page.
        public static let next = "Next page"
        /// The button to the previous page.
        public static let previous = "Previous page"
        /// The heading of the question.
        public static let confirmTitle = "Cancel all downloads?"
        /// The result of cancelling.
        public static let confirmAdvice =
            "All files that are not complete are removed from the queue. Downloaded files are kept."
        /// The button that keeps the downloads.
        public static let keep = "Keep"
    }

    /// What the screen shows.
    public internal(set) var state = State.opening
    /// The state of all downloads together. Nil before the queue was read.
    public private(set) var overview: DownloadOverview?
    /// The files that are being downloaded.
    public private(set) var running: [DownloadRow] = []
    /// The shown page of the list.
    public private(set) var page = DownloadPage.empty
    /// The folder of the files, to open it. Nil before the queue was read.
    public private(set) var folder: String?
    /// Which files the list shows. A change shows the first page.
    public var filter = DownloadFilter.all { didSet { if filter != oldValue { showFirstPage() } } }
    /// The error of the last command. Nil when there is none.
    public var error: ScreenError? { if case .list(let error) = state { error } else { nil } }

    @ObservationIgnored let client: LatchClient
    @ObservationIgnored let environment: [String: String]
    @ObservationIgnored private let interval: Duration
    @ObservationIgnored private var queue: (location: LibraryLocation, queue: DownloadQueue)?
    @ObservationIgnored private var cursor = DownloadCursor()
    @ObservationIgnored private let paging = ScreenTask()
    @ObservationIgnored private var network: NetworkState?
    @ObservationIgnored private var signal: AsyncStream<Void>.Continuation?
    /// The tasks of the shown rows.
    @ObservationIgnored private(set) var targets: [DownloadRow.ID: DownloadTarget] = [:]
    /// The last command. Commands run one after another, and continue when the screen is left.
    @ObservationIgnored var command: Task<Void, Never>?
    /// The path of the background program. Nil to look for it.
    @ObservationIgnored var program: String?
    /// How often the queue was to be read again without a change, for tests.
    @ObservationIgnored private(set) var repetitions = 0

    /// Makes the screen. Nothing is read yet.
    ///
    /// - Parameters:
    ///   - client: The client whose database has the queue.
    ///   - environment: The environment variables that locate the background program and the services of the desktop.
    ///   - interval: The shortest time between two readings of the queue.
    init(
        _ client: LatchClient, environment: [String: String] = ProcessInfo.processInfo.environment,
        interval: Duration = .milliseconds(250)
    ) {
        self.client = client
        self.environment = environment
        self.interval = interval
    }

    /// Follows the queue until the task is cancelled or the client is closed.
    ///
    /// The queue is read after changes of the database, at most four times a second, and four times a second while a
    /// program downloads.
    public func run() async {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signal = signal
        let changes = client.accounts.databaseChanges
        let networks = client.accounts.network()
        let following = Task {
            for await _ in changes { signal.yield() }
            signal.finish()
        }
        let watching = Task { [weak self] in for await state in networks { self?.update(state) } }
        defer {
            following.cancel()
            watching.cancel()
            self.signal = nil
        }
        for await _ in signals {
            await read()
            guard (try? await Task.sleep(for: interval)) != nil else { return }
            if overview?.phase == .downloading {
                repetitions += 1
                signal.yield()
            }
        }
    }

    // MARK: - Pages

    /// Shows the next page.
    public func showNextPage() {
        guard page.hasNext else { return }
        cursor.goToNext()
        readNow()
    }

    /// Shows the previous page.
    public func showPreviousPage() {
        guard page.hasPrevious else { return }
        cursor.goToPrevious()
        readNow()
    }

    private func showFirstPage() {
        cursor = DownloadCursor()
        readNow()
    }

    /// Reads the queue without the pause between two readings, because the person waits for the page.
    private func readNow() { paging.start { [weak self] _ in await self?.read() } }

    // MARK: - Reading

    /// Opens the queue for the folder of the last downloads.
    func openQueue() async throws -> DownloadQueue {
        let location = try await LibraryLocations(client).current(environment: environment)
        if let queue, queue.location == location { return queue.queue }
        let library = PictureLibrary(client, folder: location.folder, layout: location.layout)
        let opened = DownloadQueue(client, library: library)
        queue = (location, opened)
        if folder != location.folder { folder = location.folder }
        return opened
    }

    private func update(_ state: NetworkState) {
        network = state
        signal?.yield()
    }

    private func read() async {
        let (filter, start) = (filter, cursor.start)
        do {
            let queue = try await openQueue()
            let isFetching = try queue.isRunningSomewhere()
            let snapshot = try await queue.snapshot()
            let tasks = try await queue.page(filter, after: start)
            let pauses = Dictionary(try await queue.pauses().map { ($0.host, $0) }) { first, _ in first }
            let accounts = Dictionary(try await queue.accounts().map { ($0.id, $0) }) { first, _ in first }
            let context = DownloadRow.Context(
                accounts: accounts, pauses: pauses, isFetching: isFetching, unusableFolder: unusableFolder(tasks))
            let fetchesMetered = try await DownloadPreferences(client).fetchesMetered()
            // The person may have chosen another page meanwhile, which is read next.
            guard !Task.isCancelled, filter == self.filter, start == cursor.start else { return }
            let reason = network.flatMap { WaitReason($0, fetchesMetered: fetchesMetered) }
            show(DownloadOverview(snapshot, network: reason, isFetching: isFetching))
            show(snapshot.running, tasks, context)
            switch state {
            case .opening, .failed: state = .list(nil)
            case .list, .confirming: break
            }
        } catch {
            if !Task.isCancelled { state = .failed(ScreenError(error)) }
        }
    }

    private func show(_ new: DownloadOverview) {
        if overview != new { overview = new }
    }

    /// Returns the folder if failed files cannot be saved there now.
    private func unusableFolder(_ tasks: [QueuedTask]) -> String? {
        guard let folder, tasks.contains(where: { if case .failed = $0.state { true } else { false } }),
            !FileManager.default.isWritableFile(atPath: folder)
        else { return nil }
        return folder
    }

    private func show(_ files: [QueueSnapshot.File], _ tasks: [QueuedTask], _ context: DownloadRow.Context) {
        let rows = context.isFetching ? files.map { DownloadRow($0, context) } : []
        if running != rows { running = rows }
        let shown = Array(tasks.prefix(DownloadPage.size))
        let new = DownloadPage(
            rows: shown.map { DownloadRow($0, context) },
            hasNext: tasks.count > shown.count, hasPrevious: cursor.hasPrevious)
        if page != new { page = new }
        cursor.shown(shown)
        targets = [:]
        for file in files { targets[file.position] = DownloadTarget(id: file.taskID, account: file.account) }
        for task in shown { targets[task.position] = DownloadTarget(id: task.task.id, account: task.task.account) }
    }
}

/// A task of a shown row.
struct DownloadTarget {
    var id: DownloadTask.ID
    var account: Account.ID
}
