import Database
import FoundationEssentials
import HTTPClient
import LatchKit

/// The folder of the downloaded files, with the hidden folder of the parts in it.
struct DownloadFolder: Sendable {
    /// What exists of a task whose part was complete.
    enum PlacementState: Equatable {
        /// Neither part nor file. Both were removed.
        case missing
        /// The complete part, which is not moved yet.
        case part
        /// The file is at its destination. The program that moved it there was stopped before it recorded that.
        case placed(String)
    }

    /// The full path of the folder with the files.
    let path: String
    let latch: LatchClient
    let store: DownloadStore

    /// The hidden folder of the parts.
    var partsPath: String { path + "/.latchstring" }

    // MARK: - The folder

    /// Creates the folders for the files and the parts. If `isNew` is true, also when they were created before and are
    /// missing now.
    ///
    /// Source: DL-13.
    func prepare(isNew: Bool = false) async throws {
        if !isNew { try await check() }
        try FolderLibrary.make(partsPath, in: path)
        for folder in [path, partsPath] {
            try FolderLibrary.check(folder)
            // Also for an existing folder, because its creator may have been stopped before this step.
            DownloadPart.syncFolder(beside: folder)
        }
        // Last, so that a folder whose creation failed does not count as lost in the next run.
        try await LibraryLocations(latch).recordCreation(path)
    }

    /// Throws when the folder was created before and is missing now. It may be on a drive that is not mounted. All
    /// files would then be fetched again, to the disk below the mount point.
    func check() async throws {
        guard !Self.exists(partsPath), try await LibraryLocations(latch).wasCreated(path),
            try await !LibraryIndex(database: store.database, folder: path).hasFiles()
        else { return }
        throw LatchError(.folderGone, missingSentence)
    }

    private var missingSentence: String {
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        let state =
            switch names {
            case nil: "is missing"
            case []?: "is empty now"
            case _?: "has none of those files now"
            }
        return
            "Files were saved to the folder '\(path)' before, but it \(state). Mount its drive if it is on "
            + "one. Or choose another folder: --to FOLDER. Or \(names == nil ? "create it again" : "use it as it is"): "
            + "give the same command with --make-folder."
    }

    /// Whether there is enough free space for the files and for the database.
    var hasFreeSpace: Bool {
        let database = store.database.path.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        return [partsPath, database].allSatisfy { folder in
            // A file system that does not tell its free space must not pause the queue for ever.
            folder.flatMap(DownloadPart.freeBytes).map { $0 > DiskSpace.minimumFreeBytes } ?? true
        }
    }

    // MARK: - The files of a task

    func partPath(_ row: QueuedTask) -> String {
        partsPath + "/" + row.partName
    }

    /// Returns the path of the part into which both parts of a live photo are joined.
    func joinedPath(_ row: QueuedTask) -> String {
        partsPath + "/" + row.joinedPartName
    }

    /// Removes the part of a task, and the joined part of its live photo.
    func removeParts(_ row: QueuedTask) {
        try? FileManager.default.removeItem(atPath: partPath(row))
        guard row.task.metadata.liveID != nil else { return }
        try? FileManager.default.removeItem(atPath: joinedPath(row))
    }

    /// Returns what exists of a task whose part was complete. The path was recorded before the part was moved there.
    func placementState(_ row: QueuedTask) -> PlacementState {
        let part = partPath(row)
        guard let path = row.path, Self.exists(path) else { return Self.exists(part) ? .part : .missing }
        guard Self.exists(part) else { return isEmptied(path, row) ? .missing : .placed(path) }
        // On a file system that cannot rename without replacing, the file has both names for a moment, or an empty file
        // reserves the name.
        guard DownloadPart.isSameFile(part, path) else {
            DownloadPart.removePlaceholder(path, of: part)
            return .part
        }
        try? FileManager.default.removeItem(atPath: part)
        return .placed(path)
    }

    /// Whether a file is empty that should have content. A power loss can leave such a file on FAT.
    private func isEmptied(_ path: String, _ row: QueuedTask) -> Bool {
        guard let size = row.task.metadata.size, size > 0 else { return false }
        return DownloadPart.size(of: path) == 0
    }

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Whether the name is in use, also by a dangling symbolic link, for example to a drive that is not mounted.
    static func isTaken(_ path: String) -> Bool { DownloadPart.size(of: path) != nil }
}
