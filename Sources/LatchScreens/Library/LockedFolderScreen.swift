import Crypto
import LatchDownloads
import LatchKit
public import Observation

/// The locked folder of an account: asks for the PIN at the server, and downloads the files.
///
/// The folder is unlocked for as long as the screen is shown, and never longer than the server allows. Leaving the screen
/// locks it again and ends the download. The PIN is not stored.
///
/// Source: IM-15, DL-1.
@MainActor @Observable
public final class LockedFolderScreen: CommandScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// Something is being done. The sentence says what.
        case working(String)
        /// The person has no PIN at the server. The sentence says so.
        case noPIN(String)
        /// The folder is locked. The error is that of the last try or of the download.
        case locked(ScreenError?)
        /// The folder is unlocked, and its files were counted.
        case unlocked(LibraryDownloadSummary)
        /// The files are being downloaded. The sentence says how many are here.
        case downloading(String)
        /// The download has ended, and the folder is locked. The sentence says how many files are here.
        case done(String)
    }

    /// The texts of the screen.
    public enum Text {
        /// What the screen is for.
        public static let advice =
            "Enter the PIN of the locked folder. It is not stored, and the folder is locked again when you leave this page. "
            + "Downloaded files are not locked on this device."
        /// The name of the field.
        public static let pin = "PIN"
        /// The button that unlocks the folder.
        public static let unlock = "Unlock"
        /// The button that downloads the files.
        public static let download = "Download"
        /// The button that locks the folder again.
        public static let lock = "Lock again"
        /// What is shown when the person has no PIN.
        public static let noPIN =
            "You have no PIN at the server. Set one under '\(AccountScreen.Text.title)', '\(ServerPINScreen.Text.title)'."
        /// What is shown after the folder was locked during a download.
        public static let isLocked = "The folder is locked again."
    }

    /// What the screen shows.
    public private(set) var state = State.working("")
    /// The PIN. Empty again as soon as it was sent.
    public var pin = "" {
        didSet { if !pin.isEmpty, case .locked(_?) = state { state = .locked(nil) } }
    }

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let account: Account
    @ObservationIgnored let work = ScreenTask()
    @ObservationIgnored private var answer: AsyncStream<Void>.Continuation?

    init(_ client: LatchClient, account: Account) {
        self.client = client
        self.account = account
    }

    /// Asks the server whether there is a PIN. Called when the screen is shown.
    func start() {
        state = .working("Asking the server…")
        work.start { [self] isCurrent in
            let new: State
            do {
                new = try await client.pinState(of: account).isSet ? .locked(nil) : .noPIN(Text.noPIN)
            } catch {
                new = .locked(ScreenError(error))
            }
            if isCurrent() { state = new }
        }
    }

    /// Unlocks the folder with ``pin``, and counts its files.
    public func unlock() {
        guard case .locked = state, !pin.isEmpty else { return }
        let typed = Secret(pin)
        pin = ""
        let checked = Result { () throws(LatchError) in try PIN(typed) }
        guard case .success(let pin) = checked else {
            if case .failure(let error) = checked { state = .locked(ScreenError(error)) }
            return
        }
        state = .working("Unlocking the folder…")
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        self.answer = answer
        work.start { [self] isCurrent in
            let new: State
            do {
                let sentence = try await client.lock.retaining {
                    try await client.withUnlocked(pin, of: account) { [self] _ in
                        try await download(whenAsked: answers)
                    }
                }
                new = .done("\(sentence) \(Text.isLocked)")
            } catch {
                new = .locked(error is CancellationError ? nil : ScreenError(error))
            }
            if isCurrent() { state = new }
        }
    }

    /// Downloads the files.
    public func download() {
        guard case .unlocked(let summary) = state, summary.canDownload else { return }
        state = .downloading("")
        answer?.yield()
    }

    /// Locks the folder again, and ends a download. Complete files are kept.
    public func lock() {
        pin = ""
        work.cancel()
        switch state {
        case .working, .unlocked, .downloading: state = .locked(nil)
        case .noPIN, .locked, .done: break
        }
    }

    /// Waits until the folder is locked again.
    func finishCommands() async { await work.finish() }

    // MARK: - While the folder is unlocked

    /// Counts the files, and downloads them when the person asks for it.
    ///
    /// - Returns: A sentence about the files.
    private func download(whenAsked answers: AsyncStream<Void>) async throws -> String {
        set(.working("Counting the files…"))
        let library = try await library()
        let chooser = DownloadChooser(account, try client.session(for: account))
        let selection = DownloadSelection(isLockedFolder: true)
        var files = SelectedFiles(of: selection, in: library)
        for try await tasks in chooser.pages(of: selection) { _ = try await files.count(tasks) }
        set(.unlocked(LibraryDownloadSummary(files, in: library.folder, free: DiskSpace.freeBytes)))
        for await _ in answers { break }
        try Task.checkCancellation()
        let queue = DownloadQueue(client, library: library)
        let result = try await queue.fetchLocked(
            chooser.pages(of: selection), of: account, SelectedFiles(of: selection, in: library)
        ) { [self] progress in
            await show(progress)
        }
        return result.sentence
    }

    private func show(_ progress: LockedFolderFiles) {
        // The person may have locked the folder meanwhile.
        guard case .downloading = state else { return }
        state = .downloading("\(progress.ended) of \(progress.files) files")
    }

    private func library() async throws -> PictureLibrary {
        let place = try await LibraryLocations(client).next(for: account).location
        return PictureLibrary(
            client, folder: place.folder, layout: place.layout, keepsMotionPhotos: place.keepsMotionPhotos)
    }

    /// Shows a state, unless the work that it belongs to was cancelled.
    private func set(_ new: State) {
        if !Task.isCancelled { state = new }
    }
}

extension LockedFolderFiles {
    /// A sentence about the files after a download.
    fileprivate var sentence: String {
        let text = done == 1 ? "1 file was downloaded." : "\(done) files were downloaded."
        guard let failure else { return text }
        return "\(text) \(failed) could not be downloaded: \(ScreenText.sentences(failure))"
    }
}
