import FoundationEssentials
import HTTPClient
import LatchKit

/// What is there of a task whose part is whole.
enum Standing: Equatable {
    /// Neither part nor file: both were removed by somebody.
    case missing
    /// The part.
    case part
    /// The file in its place: whoever put it there was stopped before it could say so.
    case placed(String)
}

extension DownloadQueue {
    nonisolated func partPath(_ row: QueuedTask) -> String {
        partsFolder + "/" + partName.of(row.task.account, row.task.id)
    }

    nonisolated func joinedPath(_ row: QueuedTask) -> String {
        partsFolder + "/" + partName.joined(row.task.account, row.task.metadata.liveID ?? row.task.id)
    }

    /// What is there of a task whose part is whole. Its path was noted before the part was moved there.
    nonisolated func standing(_ row: QueuedTask) -> Standing {
        let part = partPath(row)
        guard let path = row.path, Self.isThere(path) else { return Self.isThere(part) ? .part : .missing }
        guard Self.isThere(part) else { return isEmptied(path, row) ? .missing : .placed(path) }
        // Where a file system cannot rename without replacing, the file has both names for a moment, or an empty one
        // holds its place.
        guard DownloadPart.isSameFile(part, path) else {
            DownloadPart.removePlaceholder(path, of: part)
            return .part
        }
        try? FileManager.default.removeItem(atPath: part)
        return .placed(path)
    }

    /// Whether nothing is in a file that is to have bytes, as a loss of power can leave it on FAT.
    private nonisolated func isEmptied(_ path: String, _ row: QueuedTask) -> Bool {
        guard let size = row.task.metadata.size, size > 0 else { return false }
        return DownloadPart.size(of: path) == 0
    }

    static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Whether the name is in use, also by a dangling symbolic link, for example to a drive that is not mounted.
    static func isTaken(_ path: String) -> Bool { DownloadPart.size(of: path) != nil }
}
