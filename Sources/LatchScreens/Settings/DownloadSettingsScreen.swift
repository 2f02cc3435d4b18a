public import FoundationEssentials
import LatchDownloads
import LatchKit
public import Observation
import Primitives

/// The settings of downloads: where files are saved and how they are arranged, metered networks, followed libraries.
///
/// Every change is stored at once, and checked against the files that wait. A front end runs ``run()`` while the screen
/// is shown.
///
/// Source: DL-11, DL-17, IM-6.
@MainActor @Observable
public final class DownloadSettingsScreen: CommandScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The settings are being read for the first time.
        case opening
        /// The settings could not be read.
        case failed(ScreenError)
        /// The settings. The error is that of the last change.
        case editing(ScreenError?)
    }

    /// How files are arranged in the folder.
    public enum Layout: String, CaseIterable, Sendable {
        /// All files directly in the folder.
        case flat
        /// Numbered folders, as on a camera.
        case dcim
        /// Folders for the month in which the files were taken.
        case date

        /// The name of the arrangement, for people.
        public var title: String {
            switch self {
            case .flat: "All in one folder"
            case .dcim: "Numbered folders, as on a camera"
            case .date: "A folder for each month"
            }
        }
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Downloads"
        /// The name of the setting of the folder.
        public static let folder = "Folder"
        /// The name of the free space on the disk of the folder.
        public static let freeSpace = "Free space"
        /// The button that chooses a folder.
        public static let choose = "Choose…"
        /// The name of the setting of the arrangement.
        public static let layout = "Arrange files"
        /// The name of the setting of live photos.
        public static let motionPhotos = "Save each live photo as one file"
        /// The name of the setting of metered networks.
        public static let metered = "Download on metered networks"
        /// When the setting of metered networks applies.
        public static let meteredAdvice = "Applies to downloads that start from now on, not to one that is running."
        /// The heading of the followed libraries.
        public static let following = "New pictures"
        /// How a library is followed.
        public static let followingAdvice =
            "These libraries are downloaded as they grow. To add one: '\(LibraryScreen.Text.downloadAll)' on its page, with "
            + "'\(LibraryDownloadScreen.Text.follow)'."
        /// The button that stops following a library.
        public static let stopFollowing = "Stop"
        /// The button that starts the background program.
        public static let startFollowing = "Start"
    }

    /// What the screen shows.
    public private(set) var state = State.opening
    /// The full path of the folder of the files. Empty before it was read.
    public private(set) var folder = ""
    /// The text of the field for the folder. A text that was refused stays.
    public var folderText = "" {
        didSet { if folderText != oldValue, folderError != nil { folderError = nil } }
    }
    /// Why ``folderText`` was refused. Nil when it was not, or was edited since.
    public private(set) var folderError: ScreenError?
    /// The free space on the disk of the folder, such as "12 GB". Empty when it is not known.
    public private(set) var freeSpace = ""
    /// How files are arranged in the folder.
    public private(set) var layout = Layout.flat
    /// Whether each live photo becomes one file.
    public private(set) var keepsMotionPhotos = false
    /// Whether files are downloaded on metered networks too.
    public private(set) var fetchesMetered = false
    /// The libraries whose new pictures are downloaded as they appear.
    public private(set) var libraries: [FollowedRow] = []
    /// The error of the last change, unless it is ``folderError``. Nil when there is none.
    public var error: ScreenError? { if case .editing(let error) = state { error } else { nil } }

    /// The question whether to change the folder of libraries that are followed. Nil when it is not asked.
    public private(set) var question: Confirmation?

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let environment: [String: String]
    /// The last change. Changes are stored one after another, and completed when the screen is left.
    @ObservationIgnored private(set) var change: Task<Void, Never>?
    @ObservationIgnored private let measuring = ScreenTask()
    /// The folder whose free space is being read.
    @ObservationIgnored private var measuredFolder: String?

    /// Makes the screen. Nothing is read yet.
    ///
    /// - Parameters:
    ///   - client: The client whose database has the settings.
    ///   - environment: The environment variables that locate the pictures folder and the background program.
    init(_ client: LatchClient, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.client = client
        self.environment = environment
    }

    /// Follows the settings, which other programs may change, until the task is cancelled or the client is closed.
    public func run() async {
        for await _ in client.accounts.databaseChanges {
            await read()
            if Task.isCancelled { return }
        }
    }

    // MARK: - Changes

    /// Chooses the folder for all further files. It is created when it does not exist.
    ///
    /// The error says so when files still wait for the previous folder, or when the folder cannot be used. If libraries
    /// are followed, there is a ``question`` first, because they are downloaded again.
    ///
    /// - Parameter path: The full path.
    public func setFolder(_ path: String) {
        folderText = path
        guard !libraries.isEmpty, path != folder else { return storeFolder(path) }
        question = Confirmation(
            title: "Change the folder?",
            text: "The followed libraries are downloaded again, to '\(ScreenText.line(path))'. The files in "
                + "'\(ScreenText.line(folder))' stay there. Files that you move to the new folder before are not downloaded "
                + "again.", action: "Change folder")
    }

    /// Changes the folder in the question.
    public func confirm() {
        guard question != nil else { return }
        question = nil
        storeFolder(folderText)
    }

    /// Answers the question with no.
    public func cancel() {
        guard question != nil else { return }
        question = nil
        folderText = folder
    }

    private func storeFolder(_ path: String) {
        store(folder: path) { client, location in
            guard path.hasPrefix("/") else {
                throw LatchError(
                    .fileFailed, "Could not use '\(path)' as the folder. Choose a folder with its full path.")
            }
            let path = URL(fileURLWithPath: path).standardizedFileURL.path
            try await LibraryLocations(client).check(path)
            let library = PictureLibrary(client, folder: path)
            try await DownloadQueue(client, library: library).prepareFolder(isNew: true)
            location.folder = path
        }
    }

    /// Chooses how files are arranged.
    public func setLayout(_ layout: Layout) {
        store { _, location in location.layout = layout.stored }
    }

    /// Chooses whether each live photo becomes one file.
    public func setKeepsMotionPhotos(_ isOn: Bool) {
        store { _, location in location.keepsMotionPhotos = isOn }
    }

    /// Chooses whether files are downloaded on metered networks too.
    public func setFetchesMetered(_ isOn: Bool) {
        perform { client, _ in try await DownloadPreferences(client).setFetchesMetered(isOn) }
    }

    /// Stops following the library of an account. Files in the queue stay there.
    public func stopFollowing(_ id: FollowedRow.ID) {
        perform { client, environment in
            let followed = FollowedLibraries(client)
            try await followed.remove(id)
            if try await followed.all().isEmpty { DownloadService(.following, environment: environment).remove() }
        }
    }

    /// Starts the background program that follows the libraries.
    public func startFollowing() {
        perform { client, environment in
            try await client.followLibrariesInBackground(environment: environment)
        }
    }

    func finishCommands() async { await change?.value }

    private func store(
        folder: String? = nil, _ edit: @escaping @Sendable (LatchClient, inout LibraryLocation) async throws -> Void
    ) {
        perform(folder: folder) { client, environment in
            let locations = LibraryLocations(client)
            let previous = try await locations.chosen(environment: environment)
            var location = previous
            try await edit(client, &location)
            try await locations.choose(location, insteadOf: previous)
        }
    }

    /// Performs a change after those before it.
    ///
    /// - Parameters:
    ///   - folder: The text for the folder, if the change is about it.
    ///   - body: The change.
    private func perform(
        folder: String? = nil, _ body: @escaping @Sendable (LatchClient, [String: String]) async throws -> Void
    ) {
        change = Task { [previous = change, client, environment] in
            await previous?.value
            do {
                try await body(client, environment)
                await read()
                if folderText == folder { (folderText, folderError) = (self.folder, nil) }
                if case .editing = state { state = .editing(nil) }
            } catch {
                await read()
                // The person may have typed on meanwhile.
                if folder == folderText {
                    (state, folderError) = (.editing(nil), ScreenError(error))
                } else {
                    state = .editing(ScreenError(error))
                }
            }
        }
    }

    // MARK: - Reading

    private func read() async {
        do {
            let location = try await LibraryLocations(client).chosen(environment: environment)
            let isMetered = try await DownloadPreferences(client).fetchesMetered()
            let followed = FollowedLibraries(client)
            let (all, isRunning) = (try await followed.all(), try followed.isRunning())
            let accounts = try await client.accounts.accounts()
            let rows = all.compactMap { library in
                accounts.first { $0.id == library.account }.map { FollowedRow(library, $0, isRunning: isRunning) }
            }
            let isEdited = folderText != folder
            (folder, layout) = (location.folder, Layout(location.layout))
            if !isEdited { folderText = folder }
            readFreeSpace()
            (keepsMotionPhotos, fetchesMetered) = (location.keepsMotionPhotos, isMetered)
            if libraries != rows { libraries = rows }
            switch state {
            case .opening, .failed: state = .editing(nil)
            case .editing: break
            }
        } catch {
            if !Task.isCancelled { state = .failed(ScreenError(error)) }
        }
    }

    /// Reads the free space on a thread of its own, because a network drive may not respond.
    private func readFreeSpace() {
        guard measuredFolder != folder else { return }
        measuredFolder = folder
        measuring.start { [folder, weak self] isCurrent in
            let bytes = try? await SystemThread.run { DiskSpace.freeBytes(for: folder) }
            guard isCurrent(), let self else { return }
            freeSpace = bytes.map(TransferText.bytes) ?? ""
            measuredFolder = nil
        }
    }
}

extension DownloadSettingsScreen.Layout {
    fileprivate init(_ layout: LibraryLayout) { self = Self(rawValue: layout.rawValue) ?? .flat }

    /// The arrangement as the library knows it.
    fileprivate var stored: LibraryLayout { LibraryLayout(rawValue: rawValue) ?? .flat }
}
