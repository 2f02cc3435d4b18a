package import Database
import FoundationEssentials
import HTTPClient
import HTTPMessages
public import LatchKit
import Synchronization

/// A library of a person's pictures and videos. It keeps each file once, with the time at which it was taken. An id on
/// each file identifies it after a move within the folder.
///
/// An index in the accounts database, and the extended attribute `user.latchstring.asset` on each file, tell which
/// files exist. A file that the person moves within the folder is found by the attribute. A file that the person
/// removes from the folder is fetched when it is chosen again, even if another picture has its name now. A file that
/// the person changes counts as existing, and is not replaced.
///
/// Source: DL-2, DL-6, DL-11.
public final class PictureLibrary: IndexedLibrary {
    /// The full path of the folder.
    public let folder: String
    /// How files are arranged in the folder.
    public let layout: LibraryLayout
    /// Whether each live photo becomes one file.
    public let keepsMotionPhotos: Bool

    /// The place of the library, to be stored for later downloads.
    public var location: LibraryLocation {
        LibraryLocation(folder: folder, layout: layout, keepsMotionPhotos: keepsMotionPhotos)
    }

    /// The extended attribute that holds an asset's id.
    public static let attribute = "user.latchstring.asset"

    private let onNotice: @Sendable (String) -> Void
    private let index: LibraryIndex
    private let search: LibrarySearch
    private let cameraFolders = Mutex(CameraFolders())

    /// Creates a library in a folder, which need not exist yet.
    ///
    /// - Parameters:
    ///   - latch: The client whose accounts database stores the index.
    ///   - folder: The full path of the folder.
    ///   - layout: How files are arranged in the folder.
    ///   - keepsMotionPhotos: Whether each live photo becomes one file.
    ///   - onNotice: Receives a sentence for the person when a live photo cannot become one file.
    public init(
        _ latch: LatchClient, folder: String, layout: LibraryLayout = .flat, keepsMotionPhotos: Bool = false,
        onNotice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.folder = folder
        self.layout = layout
        self.keepsMotionPhotos = keepsMotionPhotos
        self.onNotice = onNotice
        index = LibraryIndex(database: DownloadDatabase(latch), folder: folder)
        search = LibrarySearch(index: index)
    }

    /// Returns those of the given tasks whose files do not exist here. When one part of a live photo does not, both are
    /// returned.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func absent(_ tasks: [DownloadTask]) async throws -> [DownloadTask] {
        let missing = zip(tasks, try await paths(of: tasks)).filter { $1 == nil }.map(\.0)
        let halves = Set(missing.compactMap(\.metadata.liveID))
        let ids = Set(missing.map(\.id))
        return tasks.filter { ids.contains($0.id) || $0.metadata.liveID.map(halves.contains) ?? false }
    }

    /// Returns the path of a task's file if it exists here. The index is used first, then the attributes of the files.
    public func existing(_ task: DownloadTask) async throws -> String? { try await paths(of: [task])[0] }

    /// Returns the path that the layout gives to the task, with a number before its extension when the name is taken.
    public func destination(of task: DownloadTask, attempt: Int) throws -> String {
        let place = place(of: task)
        try FolderLibrary.make(place)
        return place + "/" + SafeFileName(task.filename).numbered(attempt)
    }

    /// Writes the asset's id to the part.
    package func writeMetadata(_ part: DownloadPart, as task: DownloadTask) {
        if ImmichAssetReading.isID(task.id) { part.setAttribute(Self.attribute, task.id.lowercased()) }
    }

    /// Joins a live photo if motion photos are enabled and the still image can hold a video. Returns nil otherwise.
    package func join(
        still: DownloadPart, video: DownloadPart, of task: DownloadTask, into path: String
    ) async throws -> DownloadPart? {
        guard keepsMotionPhotos else { return nil }
        let plan: MotionPhoto
        do {
            plan = try await MotionPhoto(still: still, video: video)
        } catch let reason as MotionPhoto.ConversionError {
            onNotice("\(SafeFileName(task.filename)) stays a photo and a video: \(reason.sentence)")
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

    /// Returns a name such as `IMG_1234.MP.jpg`.
    package func joinedName(_ filename: String) -> String { MotionPhotoName.of(filename) }

    /// Records the file in the index.
    package func record(_ task: DownloadTask, at path: String, in connection: Connection) throws {
        guard path.hasPrefix(folder + "/") else { return }
        let entry = LibraryIndex.Entry(
            path: String(decoding: path.utf8.dropFirst(folder.utf8.count + 1), as: UTF8.self),
            sha1: task.metadata.isDigestAdvice ? nil : task.metadata.sha1,
            version: task.metadata.version.map(DownloadStore.json))
        try index.record(Self.key(task), entry, in: connection)
        if task.group == .file { try index.removeOtherEntries(at: entry.path, except: Self.key(task), in: connection) }
    }

    /// Returns the versions that the server reported for the existing files of tasks, by the tasks' ids. Files without
    /// a version are left out.
    func versions(of tasks: [DownloadTask]) async throws -> [DownloadTask.ID: ResumePoint] {
        let entries = try await index.entries(Self.keys(tasks))
        return tasks.reduce(into: [:]) { versions, task in
            let version = entries[Self.key(task)]?.version
            versions[task.id] = version.flatMap { try? JSON.decode(ResumePoint.self, from: Array($0.utf8)) }
        }
    }

    // MARK: - What is here

    /// Returns the key of a task's file in the index. An asset's id is unique, whichever account fetched it.
    private static func key(_ task: DownloadTask) -> String {
        ImmichAssetReading.isID(task.id)
            ? task.id.lowercased() : task.account.text + " " + task.id
    }

    private static func keys(_ tasks: [DownloadTask]) -> [String] {
        tasks.flatMap { [key($0)] + ($0.metadata.part == .video ? [$0.metadata.liveID?.lowercased() ?? ""] : []) }
    }

    /// What the index says about a task's file.
    private enum IndexMatch {
        case unknown
        /// The file is recorded, but no longer at its path. It may have been moved.
        case lost
        case here(String)

        var path: String? { if case .here(let path) = self { path } else { nil } }
    }

    /// Returns the paths of the tasks' files that exist here. The folder is searched once, when a file is not at its
    /// recorded path or when no file is recorded at all.
    private func paths(of tasks: [DownloadTask]) async throws -> [String?] {
        // Before the index is read: a search that ends in between changes the index, which must then be read again.
        let isSearched = await search.isDone
        let (indexMatches, isNew) = try await indexMatches(tasks)
        var mustSearch = !isSearched && indexMatches.contains { if case .lost = $0 { true } else { false } }
        if !isSearched, !mustSearch, isNew { mustSearch = try await search.isNothingKnown() }
        guard mustSearch, try await search.run() else { return indexMatches.map(\.path) }
        return try await self.indexMatches(tasks).0.map(\.path)
    }

    private func indexMatches(_ tasks: [DownloadTask]) async throws -> ([IndexMatch], isNew: Bool) {
        let entries = try await index.entries(Self.keys(tasks))
        return (tasks.map { indexMatch($0, entries) }, entries.isEmpty)
    }

    private func indexMatch(_ task: DownloadTask, _ entries: [String: LibraryIndex.Entry]) -> IndexMatch {
        let (entry, still) = (entries[Self.key(task)], still(of: task, entries))
        // The server now has another file under that id.
        if let new = task.metadata.sha1, let old = entry?.sha1, !task.metadata.isDigestAdvice, new != old {
            return .unknown
        }
        // A video that is contained in the file of its still image has the same path.
        if let still, MotionPhotoName.mayBeOne(entry?.path ?? still.entry.path) { return file(still.entry, still.key) }
        return entry.map { file($0, Self.key(task)) } ?? .unknown
    }

    /// Returns the still image that a video belongs to, if its file may contain the video.
    private func still(
        of task: DownloadTask, _ entries: [String: LibraryIndex.Entry]
    ) -> (key: String, entry: LibraryIndex.Entry)? {
        guard task.metadata.part == .video, let key = task.metadata.liveID?.lowercased(), let entry = entries[key],
            entries[Self.key(task)] != nil || MotionPhotoName.matches(entry.path)
        else { return nil }
        return (key, entry)
    }

    private func file(_ entry: LibraryIndex.Entry, _ key: String) -> IndexMatch {
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
