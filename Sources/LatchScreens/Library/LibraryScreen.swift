import LatchDownloads
public import LatchKit
public import Observation

/// The picture library of an account: what can be downloaded, and what the person selects of it.
///
/// A front end calls ``start()`` when the screen is shown and ``stop()`` when it is hidden, and tells with
/// ``setVisible(_:)`` which pictures are on the screen. A screen that is shown again keeps its pictures and selection.
///
/// Source: DL-1, DL-9, IM-6.
@MainActor @Observable
public final class LibraryScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The section is being requested.
        case loading
        /// The server has no picture library. The sentence says so.
        case notOffered(String)
        /// The section could not be requested. ``LibraryScreen/retry()`` tries again.
        case failed(ScreenError)
        /// The section has nothing. The sentence says so.
        case empty(String)
        /// The albums.
        case albums([LibraryAlbumRow])
        /// The years that have pictures.
        case years([LibraryYearRow])
        /// A grid with this number of pictures.
        case pictures(Int)
        /// The locked folder, which ``LibraryScreen/lockedFolder`` shows.
        case lockedFolder
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Library"
        /// The button that selects all pictures of the section.
        public static let selectAll = "Select all"
        /// The button that ends the selection.
        public static let clear = "Clear selection"
        /// The button that asks how much the selection is.
        public static let download = "Download"
        /// The same button while nothing is selected.
        public static let downloadAll = "Download all"
        /// The button that tries again.
        public static let retry = CommonText.retry
        /// What is shown while a section is requested.
        public static let loading = "Loading…"
        /// The button that shows the months.
        public static let months = "Months"
        /// The button that selects the pictures of a month.
        public static let selectMonth = "Select"
    }

    /// What the screen shows.
    public private(set) var state = State.loading
    /// The section that is shown.
    public private(set) var section = LibrarySection.all
    /// The months of the grid, in its order.
    public private(set) var months: [LibraryMonthRow] = []
    /// Whether the months are shown instead of the grid.
    public private(set) var showsMonths = false
    /// The position to which the grid scrolls. Nil when it stays where it is.
    public private(set) var target: Int?
    /// The locked folder. Nil unless it is shown.
    public private(set) var lockedFolder: LockedFolderScreen?
    /// Counts up whenever pictures or thumbnails on the screen arrive, or the selection changes.
    public private(set) var revision = 0
    /// The selected pictures of the grid.
    public private(set) var selection = PictureSelection()
    /// The download that the person is about to start. Nil when there is none.
    public private(set) var download: LibraryDownloadScreen?
    /// Why pictures of the grid could not be loaded, while the rest is shown. Nil when nothing failed.
    public private(set) var loadingError: ScreenError?

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let account: Account
    @ObservationIgnored private let background: LibraryDownloadScreen.Background
    @ObservationIgnored private let commands: RunningCommands
    @ObservationIgnored let work = ScreenTask()
    @ObservationIgnored let loading = ScreenTask()
    @ObservationIgnored private let watch = ScreenTask()
    @ObservationIgnored private var source: (browser: LibraryBrowser, thumbnails: ThumbnailStore)?
    @ObservationIgnored private var list: PictureList?
    /// The positions that were on the screen last.
    @ObservationIgnored private var visible = 0..<0
    @ObservationIgnored private(set) var shownThumbnails: ShownThumbnails?

    /// Makes the screen of an account.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - account: The account whose library is shown.
    ///   - background: Starts the program that downloads, and the one that follows libraries.
    ///   - commands: The screens whose commands are completed before the client is closed.
    init(
        _ client: LatchClient, account: Account, background: LibraryDownloadScreen.Background,
        commands: RunningCommands = RunningCommands()
    ) {
        self.client = client
        self.commands = commands
        self.account = account
        self.background = background
    }

    // MARK: - Sections

    /// The sections in the order in which they are offered.
    public var sections: [LibrarySection] {
        LibrarySection.main + (account.capabilities.contains(.pin) ? [.locked] : [])
    }

    /// Requests the section, or continues with the pictures that were shown before. Called when the screen is shown.
    public func start() {
        switch state {
        case .pictures: setVisible(visible)
        case .albums, .years, .empty, .notOffered: break
        case .loading, .failed, .lockedFolder: show(section)
        }
        if let download, case .counting = download.state { download.start() }
        watch.start { [weak self, client, id = account.id] isCurrent in
            for await accounts in client.accountStates() {
                guard isCurrent() else { return }
                // Another program may have made another account the active one, or removed this one.
                guard accounts.contains(where: { $0.account.id == id && $0.account.isActive }) else {
                    self?.leave()
                    return
                }
            }
        }
    }

    /// Ends all requests, and locks the locked folder. A result that arrives later changes nothing. Files that are being
    /// added to the queue are all added. Called when the screen is hidden.
    public func stop() {
        watch.cancel()
        work.cancel()
        loading.cancel()
        shownThumbnails?.stop()
        download?.stop()
        guard let lockedFolder else { return }
        lockedFolder.lock()
        (self.lockedFolder, state) = (nil, .loading)
    }

    /// Ends all requests, and forgets the pictures. Called when another account becomes active.
    private func leave() {
        stop()
        download?.cancel()
        (source, download) = (nil, nil)
        clearGrid()
        state = .loading
    }

    /// Requests what failed again: pictures of the grid, or the section.
    public func retry() {
        if list != nil { setVisible(visible) } else { show(section) }
    }

    /// Shows another section.
    public func show(_ section: LibrarySection) {
        self.section = section
        clearGrid()
        if section == .locked { return showLockedFolder() }
        state = .loading
        work.start { [self] isCurrent in
            let new: State
            do {
                new = try await request(section, isCurrent)
            } catch let error as LatchError where error.code == .notOffered {
                new = .notOffered(error.message)
            } catch {
                new = .failed(ScreenError(error))
            }
            if isCurrent() { state = new }
        }
    }

    private func showLockedFolder() {
        work.cancel()
        let screen = commands.adding(LockedFolderScreen(client, account: account))
        (state, lockedFolder) = (.lockedFolder, screen)
        screen.start()
    }

    private func request(_ section: LibrarySection, _ isCurrent: @MainActor () -> Bool) async throws -> State {
        let source = try openSource()
        if section == .albums {
            let rows = try await source.browser.albums().map(LibraryAlbumRow.init)
            return rows.isEmpty ? .empty("There are no albums.") : .albums(rows)
        }
        let list = try await source.browser.pictures(section.selection)
        if section == .times {
            let rows = LibraryYearRow.rows(of: list.months)
            return rows.isEmpty ? .empty(section.emptySentence) : .years(rows)
        }
        guard list.count > 0 else { return .empty(section.emptySentence) }
        guard isCurrent() else { return state }
        self.list = list
        shownThumbnails = ShownThumbnails(source.thumbnails) { [weak self] in self?.revision += 1 }
        months = LibraryMonthRow.rows(of: list)
        return .pictures(list.count)
    }

    private func openSource() throws -> (browser: LibraryBrowser, thumbnails: ThumbnailStore) {
        if let source { return source }
        let session = try client.session(for: account)
        let new = (try LibraryBrowser(account, session), ThumbnailStore(account, session))
        source = new
        return new
    }

    private func clearGrid() {
        loading.cancel()
        shownThumbnails?.stop()
        lockedFolder?.lock()
        (list, shownThumbnails, loadingError, lockedFolder) = (nil, nil, nil, nil)
        (showsMonths, target, visible) = (false, nil, 0..<0)
        if !months.isEmpty { months = [] }
        selection = PictureSelection()
        revision += 1
    }

    // MARK: - The grid

    /// Returns the picture at a position of the grid. Nil while it is not loaded.
    public func picture(at position: Int) -> LibraryPictureCell? {
        _ = revision
        return list?.picture(at: position).map { LibraryPictureCell($0, isSelected: selection.contains(position)) }
    }

    /// Returns the thumbnail at a position of the grid. Nil while it is not loaded, and when there is none.
    public func thumbnail(at position: Int) -> Thumbnail? {
        _ = revision
        return list?.picture(at: position).flatMap { shownThumbnails?[$0.id] }
    }

    /// Returns the thumbnail of an album's cover. Nil when there is none or it could not be loaded.
    public func cover(of album: LibraryAlbumRow) async -> Thumbnail? {
        guard let cover = album.cover, let source else { return nil }
        return try? await source.thumbnails.thumbnail(cover)
    }

    /// Loads the pictures and thumbnails at some positions, and ends the requests for others.
    ///
    /// - Parameter positions: The positions on the screen.
    public func setVisible(_ positions: Range<Int>) {
        guard let list, let shown = shownThumbnails else { return }
        visible = positions
        // The front end may ask for more than a screen, or for positions that are no longer there.
        let positions = positions.prefix(Self.mostVisible).clamped(to: 0..<list.count)
        show(positions, of: list, shown)
        loading.start { [self] isCurrent in
            do {
                let changes = try await list.load(positions)
                guard isCurrent() else { return }
                apply(changes, of: list)
                if loadingError != nil { loadingError = nil }
                revision += 1
                show(positions, of: list, shown)
            } catch {
                guard isCurrent() else { return }
                loadingError = ScreenError(error)
            }
        }
    }

    /// The maximum number of pictures whose thumbnails are kept for the screen.
    static let mostVisible = 2_000

    private func show(_ positions: Range<Int>, of list: PictureList, _ shown: ShownThumbnails) {
        shown.show(positions.compactMap { list.picture(at: $0)?.id })
    }

    private func apply(_ changes: [PictureListChange], of list: PictureList) {
        guard !changes.isEmpty else { return }
        for change in changes { selection.apply(change) }
        months = LibraryMonthRow.rows(of: list)
        state = list.count > 0 ? .pictures(list.count) : .empty(section.emptySentence)
    }

    // MARK: - Selection

    /// Selects a picture, or ends its selection.
    public func toggle(_ position: Int) { select { $0.toggle(position, in: list?.count ?? 0) } }

    /// Selects all pictures from the last selected one to another.
    public func extendSelection(to position: Int) { select { $0.extend(to: position, in: list?.count ?? 0) } }

    /// Shows the months instead of the grid, or the grid again.
    public func setShowsMonths(_ isOn: Bool) { showsMonths = isOn && !months.isEmpty }

    /// Shows the grid from the first picture of a month.
    public func show(_ month: LibraryMonthRow) { (showsMonths, target) = (false, month.positions.lowerBound) }

    /// Called by the front end when the grid has scrolled to ``target``.
    public func targetShown() { target = nil }

    /// Selects the pictures of a month, or ends their selection when all are selected.
    public func toggleMonth(_ month: LibraryMonthRow) {
        select { $0.toggle(month.positions.clamped(to: 0..<(list?.count ?? 0))) }
    }

    /// Selects all pictures of the section.
    public func selectAll() { select { $0.selectAll(list?.count ?? 0) } }

    /// Ends the selection.
    public func clearSelection() { select { $0 = PictureSelection() } }

    private func select(_ change: (inout PictureSelection) -> Void) {
        change(&selection)
        revision += 1
    }

    /// A sentence about the selection, such as "3 of 1204 selected".
    public var selectionSentence: String {
        guard case .pictures(let count) = state else { return "" }
        return "\(selection.count) of \(count) selected"
    }

    // MARK: - Downloads

    /// The title of the button that asks how much the selection is.
    public var downloadTitle: String { selection.count == 0 ? Text.downloadAll : Text.download }

    /// Asks how much the selected pictures are. Without a selection, all of the section are meant.
    public func askToDownload() {
        guard let list, list.count > 0 else { return }
        let positions = selection.count == 0 ? RangeSet(0..<list.count) : selection.positions
        ask(canFollow: section == .all && positions == RangeSet(0..<list.count)) {
            try await list.downloads(of: positions)
        }
    }

    /// Asks how much an album is.
    public func askToDownload(_ album: LibraryAlbumRow) {
        let selection = LibrarySection.album(album).selection
        ask(album, canFollow: false) { selection }
    }

    private func ask(
        _ album: LibraryAlbumRow? = nil, canFollow: Bool,
        _ selection: @escaping @Sendable () async throws -> DownloadSelection
    ) {
        download?.cancel()
        let screen = commands.adding(
            LibraryDownloadScreen(
                client, account: account, album: album, canFollow: canFollow, background: background,
                selection: selection
            ) { [weak self] in self?.download = nil })
        download = screen
        screen.start()
    }
}
