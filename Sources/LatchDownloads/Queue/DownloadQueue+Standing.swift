import FoundationEssentials
import HTTPClient
import LatchKit

/// What exists of a task whose part was complete.
enum Standing: Equatable {
    /// Neither part nor file. Both were removed.
    case missing
    /// The complete part, which is not moved yet.
    case part
    /// The file is at its destination. The program that moved it there was stopped before it recorded that.
    case placed(String)
}

extension DownloadQueue {
    nonisolated func partPath(_ row: QueuedTask) -> String {
        partsFolder + "/" + partName.of(row.task.account, row.task.id)
    }

    nonisolated func joinedPath(_ row: QueuedTask) -> String {
        partsFolder + "/" + partName.joined(row.task.account, row.task.metadata.liveID ?? row.task.id)
    }

    /// Returns what exists of a task whose part was complete. The path was recorded before the part was moved there.
    nonisolated func standing(_ row: QueuedTask) -> Standing {
        let part = partPath(row)
        guard let path = row.path, Self.isThere(path) else { return Self.isThere(part) ? .part : .missing }
        guard Self.isThere(part) else { return isEmptied(path, row) ? .missing : .placed(path) }
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
    private nonisolated func isEmptied(_ path: String, _ row: QueuedTask) -> Bool {
        guard let size = row.task.metadata.size, size > 0 else { return false }
        return DownloadPart.size(of: path) == 0
    }

    static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Whether the name is in use, also by a dangling symbolic link, for example to a drive that is not mounted.
    static func isTaken(_ path: String) -> Bool { DownloadPart.size(of: path) != nil }
}
