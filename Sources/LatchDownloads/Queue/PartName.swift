import Crypto
import Database
import FoundationEssentials
import HTTPClient
import LatchKit

/// What a task's part is called.
enum PartName {
    static func of(_ account: UUID, _ id: String) -> String { stem(account, id) + ".part" }

    /// The part that a live photo's two become.
    static func joined(_ account: UUID, _ id: String) -> String { stem(account, id) + ".motion.part" }

    private static func stem(_ account: UUID, _ id: String) -> String {
        String(SHA256.digest("\(account.text)/\(id)").hexadecimal.prefix(32))
    }
}

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
        partsFolder + "/" + PartName.of(row.task.account, row.task.id)
    }

    nonisolated func joinedPath(_ row: QueuedTask) -> String {
        partsFolder + "/" + PartName.joined(row.task.account, row.task.metadata.liveID ?? row.task.id)
    }

    /// What is there of a task whose part is whole. Its path was noted before the part was moved there.
    nonisolated func standing(_ row: QueuedTask) -> Standing {
        let part = partPath(row)
        guard let path = row.path, Self.isThere(path) else { return Self.isThere(part) ? .part : .missing }
        guard Self.isThere(part) else { return isEmptied(path, row) ? .missing : .placed(path) }
        // Where a file system cannot rename without replacing, the file has both names for a moment, or an empty one holds its place.
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
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.size] as? Int == 0
    }

    static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private nonisolated var parts: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: partsFolder)) ?? []).filter { $0.hasSuffix(".part") }
    }

    /// Removes the parts of what was taken out of the queue, unless a program fetches: that one does it.
    func removeLeftParts() async throws {
        guard !parts.isEmpty, let lock = try? latch.accounts.lockDownloadsIfFree() else { return }
        defer { lock.release() }
        try await removeStrayParts()
    }

    /// Removes parts that no task can go on with: what was cancelled or forgotten, or belonged to an account that is gone.
    func removeStrayParts() async throws {
        let parts = parts
        guard !parts.isEmpty else { return }
        var names: Set<String> = []
        var last = 0
        while case let rows = try await store.open(after: last, limit: 10_000), let end = rows.last {
            for row in rows {
                names.insert(PartName.of(row.account, row.id))
                names.insert(PartName.joined(row.account, row.id))
            }
            last = end.position
        }
        // What this program is about to put in its place may be between two owners.
        for row in running.values.map(\.row) + placing.values.map(\.row) {
            names.insert(PartName.of(row.task.account, row.task.id))
            names.insert(PartName.joined(row.task.account, row.task.metadata.liveID ?? row.task.id))
        }
        for name in parts where !names.contains(name) {
            // One that cannot be locked is being written: by another person's client, or another machine's, with the same folder.
            (try? DownloadPart(path: partsFolder + "/" + name, isThere: true))?.remove()
        }
    }
}
