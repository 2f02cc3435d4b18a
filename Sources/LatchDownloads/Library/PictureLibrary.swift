public import Database
import FoundationEssentials
public import HTTPClient
public import LatchKit
import Synchronization

/// A person's pictures and films in a folder: each once, with the time at which it was taken and the id by which it is
/// known again wherever it is moved in there.
///
/// What is here is told by an index in the accounts database, and by the extended attribute `user.latchstring.asset` on
/// each file. A file that the person has moved within the folder is found by it; one that they removed from the folder
/// is fetched when it is chosen again, also when another picture has its name now; one that they changed is theirs, and
/// counts as here.
///
/// Source: DL-2, DL-6, DL-11.
public final class PictureLibrary: DownloadLibrary {
    /// The folder.
    public let folder: String
    /// How files lie in it.
    public let layout: LibraryLayout
    /// Whether a live photo becomes one file.
    public let keepsMotionPhotos: Bool

    /// The extended attribute that holds an asset's id.
    public static let attribute = "user.latchstring.asset"

    private let tell: @Sendable (String) -> Void
    private let index: LibraryIndex
    private let search: LibrarySearch
    private let cameraFolders = Mutex(CameraFolders())

    /// A library in that folder, which need not be there yet.
    ///
    /// - Parameters:
    ///   - latch: The accounts, whose database keeps the index.
    ///   - folder: The folder's whole path.
    ///   - layout: How files lie in it.
    ///   - keepsMotionPhotos: Whether a live photo becomes one file.
    ///   - tell: Told a sentence for the person when a live photo cannot become one.
    public init(
        _ latch: LatchClient, folder: String, layout: LibraryLayout = .flat, keepsMotionPhotos: Bool = false,
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.folder = folder
        self.layout = layout
        self.keepsMotionPhotos = keepsMotionPhotos
        self.tell = tell
        index = LibraryIndex(database: latch.accounts.database, folder: folder)
        search = LibrarySearch(index: index)
    }

    /// Those of some tasks whose files are not here; of a live photo both when one is not.
    ///
    /// - Throws: The codes of the storage.
    public func absent(_ tasks: [DownloadTask]) async throws -> [DownloadTask] {
        let missing = zip(tasks, try await paths(of: tasks)).filter { $1 == nil }.map(\.0)
        let halves = Set(missing.compactMap(\.metadata.liveID))
        let ids = Set(missing.map(\.id))
        return tasks.filter { ids.contains($0.id) || $0.metadata.liveID.map(halves.contains) ?? false }
    }

    /// The file of a task that is here, by the index; where that does not know, by what is on the files.
    public func existing(_ task: DownloadTask) async throws -> String? { try await paths(of: [task])[0] }

    /// The place that the layout has for the task, with a number before its ending when the name is taken.
    public func destination(of task: DownloadTask, attempt: Int) throws -> String {
        let place = place(of: task)
        try FolderLibrary.make(place)
        return place + "/" + SafeFileName(task.filename).numbered(attempt)
    }

    /// Puts the asset's id on the part.
    public func writeMetadata(_ part: DownloadPart, as task: DownloadTask) {
        if ImmichAssetReading.isID(task.id) { part.setAttribute(Self.attribute, task.id.lowercased()) }
    }

    /// A pair, unless motion photos are wanted and the still can be one.
    public func join(
        still: DownloadPart, film: DownloadPart, of task: DownloadTask, into path: String
    ) async throws -> DownloadPart? {
        guard keepsMotionPhotos else { return nil }
        let plan: MotionPhoto
        do {
            plan = try await MotionPhoto(still: still, film: film)
        } catch let reason as MotionPhoto.Impossible {
            tell("\(SafeFileName(task.filename)) stays a photograph and a film: \(reason.sentence)")
            return nil
        }
        let joined = try DownloadPart(path: path)
        do {
            try await plan.write(to: joined)
        } catch {
            joined.remove()
            throw error
        }
        return joined
    }

    /// `IMG_1234.MP.jpg`.
    public func joinedName(_ filename: String) -> String { MotionPhotoName.of(filename) }

    /// Notes the file in the index.
    public func note(_ task: DownloadTask, at path: String, in connection: Connection) throws {
        guard path.hasPrefix(folder + "/") else { return }
        let entry = LibraryIndex.Entry(
            path: String(decoding: path.utf8.dropFirst(folder.utf8.count + 1), as: UTF8.self),
            sha1: task.metadata.isDigestAdvice ? nil : task.metadata.sha1, version: task.metadata.version)
        try index.note(Self.key(task), entry, in: connection)
        if task.group == .file { try index.forget(at: entry.path, but: Self.key(task), in: connection) }
    }

    /// What the server had when files were fetched that are here, by their tasks' ids, where it told.
    func versions(of tasks: [DownloadTask]) async throws -> [DownloadTask.ID: ResumePoint] {
        let entries = try await index.entries(Self.keys(tasks))
        return tasks.reduce(into: [:]) { versions, task in versions[task.id] = entries[Self.key(task)]?.version }
    }

    // MARK: - What is here

    /// By what a task's file is known. An asset's id is nobody else's, whichever account it was fetched for.
    private static func key(_ task: DownloadTask) -> String {
        ImmichAssetReading.isID(task.id)
            ? task.id.lowercased() : task.account.text + " " + task.id
    }

    private static func keys(_ tasks: [DownloadTask]) -> [String] {
        tasks.flatMap { [key($0)] + ($0.metadata.part == .video ? [$0.metadata.liveID?.lowercased() ?? ""] : []) }
    }

    /// What the index says of a task's file.
    private enum Finding {
        case unknown
        /// Known, and not there any more: it may have been moved.
        case lost
        case here(String)

        var path: String? { if case .here(let path) = self { path } else { nil } }
    }

    /// The files of tasks that are here. The folder is looked through once, when one is not where it was, or when
    /// nothing at all is known.
    private func paths(of tasks: [DownloadTask]) async throws -> [String?] {
        let isSearched = await search.isDone
        let (findings, isNew) = try await findings(tasks)
        var mustSearch = !isSearched && findings.contains { if case .lost = $0 { true } else { false } }
        if !isSearched, !mustSearch, isNew { mustSearch = try await search.isNothingKnown() }
        guard mustSearch else { return findings.map(\.path) }
        try await search.run()
        return try await self.findings(tasks).0.map(\.path)
    }

    private func findings(_ tasks: [DownloadTask]) async throws -> ([Finding], isNew: Bool) {
        let entries = try await index.entries(Self.keys(tasks))
        return (tasks.map { finding($0, entries) }, entries.isEmpty)
    }

    private func finding(_ task: DownloadTask, _ entries: [String: LibraryIndex.Entry]) -> Finding {
        let (entry, still) = (entries[Self.key(task)], still(of: task, entries))
        // The server has another file under that id now.
        if let new = task.metadata.sha1, let old = entry?.sha1, !task.metadata.isDigestAdvice, new != old {
            return .unknown
        }
        // A film that is in its photograph's file goes where that goes.
        if let still, MotionPhotoName.mayBeOne(entry?.path ?? still.entry.path) { return file(still.entry, still.key) }
        return entry.map { file($0, Self.key(task)) } ?? .unknown
    }

    /// The photograph that a film belongs to, where it may hold that film.
    private func still(
        of task: DownloadTask, _ entries: [String: LibraryIndex.Entry]
    ) -> (key: String, entry: LibraryIndex.Entry)? {
        guard task.metadata.part == .video, let key = task.metadata.liveID?.lowercased(), let entry = entries[key],
            entries[Self.key(task)] != nil || MotionPhotoName.isOne(entry.path)
        else { return nil }
        return (key, entry)
    }

    private func file(_ entry: LibraryIndex.Entry, _ key: String) -> Finding {
        index.holds(key, at: entry.path) ? .here(folder + "/" + entry.path) : .lost
    }

    private func place(of task: DownloadTask) -> String {
        switch layout {
        case .flat: folder
        case .date: folder + "/" + LibraryLayout.month(task)
        case .dcim:
            folder + "/"
                + cameraFolders.withLock { $0.folder(for: task.metadata.liveID ?? task.id, in: folder) }
        }
    }
}
