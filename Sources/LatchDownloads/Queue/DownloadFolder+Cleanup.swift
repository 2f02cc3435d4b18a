import FoundationEssentials
import HTTPClient
import LatchKit

/// Cleans up part files that no task can resume. Several queues may keep their parts in one folder.
extension DownloadFolder {
    /// How long, in seconds, a part of another queue must be unmodified to count as abandoned.
    private static let abandonedAfter: TimeInterval = 30 * 86_400

    private var parts: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: partsPath)) ?? []).filter { $0.hasSuffix(".part") }
    }

    /// Removes the parts of tasks that a command removed from the queue. Does nothing while a program fetches, because
    /// that program removes them.
    func removePartsAfterCommand(except active: () -> [QueuedTask]) async throws {
        let parts = parts
        guard !parts.isEmpty else { return }
        let partName = try await store.partName()
        guard parts.contains(where: partName.isOwn), let lock = try? latch.accounts.lockDownloadsIfFree() else {
            return
        }
        defer { lock.release() }
        try await removeStrayParts(except: active)
    }

    /// Removes parts of this queue that no task can resume: their tasks were cancelled or cleared, or their account was
    /// removed.
    ///
    /// `active` returns the tasks that this program fetches or moves, because the database may not show yet that they
    /// have parts. It is called after the database was read, because a task may start meanwhile.
    func removeStrayParts(except active: () -> [QueuedTask]) async throws {
        let partName = try await store.partName()
        // Listed before the database is read, so that a part that is created meanwhile is not in the list.
        let parts = parts.filter(partName.isOwn)
        guard !parts.isEmpty else { return }
        var names: Set<String> = []
        try await forEachPartOwner { account, id in
            names.insert(partName.of(account, id))
            names.insert(partName.joined(account, id))
        }
        for row in active() {
            names.formUnion([row.partName, row.joinedPartName])
        }
        for name in parts where !names.contains(name) {
            // A part that cannot be locked is in use, and is kept.
            (try? DownloadPart(path: partsPath + "/" + name, mustExist: true))?.remove()
        }
    }

    /// Removes empty files that reserved the names of parts when a crash happened, on file systems that need such
    /// placeholders.
    func removePlaceholders() async throws {
        // Called for its side effect: it removes the placeholder at the path of a part that was not moved.
        for row in try await store.unplaced() { _ = placementState(row) }
    }

    /// Handles parts without this queue's name prefix, before anything runs.
    ///
    /// Earlier versions had no owner in the names. The parts of this queue's tasks get their new names and are resumed.
    /// All others may belong to another client that is paused or not upgraded yet. They are kept, like the parts of
    /// other owners, until they are old enough to count as abandoned.
    func cleanUpOtherOwnersParts(now: Date) async throws {
        let partName = try await store.partName()
        var foreign = Set(parts.filter { !partName.isOwn($0) })
        guard !foreign.isEmpty else { return }
        try await forEachPartOwner { account, id in
            for (old, new) in [
                (PartName.old(account, id), partName.of(account, id)),
                (PartName.oldJoined(account, id), partName.joined(account, id)),
            ] where foreign.remove(old) != nil {
                // When the rename fails, the task is fetched from the beginning.
                try? FileManager.default.moveItem(atPath: partsPath + "/" + old, toPath: partsPath + "/" + new)
            }
        }
        let limit = now.addingTimeInterval(-Self.abandonedAfter)
        for path in foreign.map({ partsPath + "/" + $0 }) where isUntouched(path, since: limit) {
            // A part that cannot be locked is being written.
            guard let part = try? DownloadPart(path: path, mustExist: true) else { continue }
            // Checked again under the lock, because its owner may have written to it since the first check.
            if isUntouched(path, since: limit) { part.remove() }
        }
    }

    private func isUntouched(_ path: String, since limit: Date) -> Bool {
        DownloadPart.lastChange(of: path).map { $0 < limit } ?? false
    }

    /// Calls `body` with the account and the id of each task that may have a part.
    private func forEachPartOwner(_ body: (UUID, String) -> Void) async throws {
        var last = 0
        while case let rows = try await store.open(after: last, limit: 10_000), let end = rows.last {
            for row in rows { body(row.account, row.id) }
            last = end.position
        }
    }
}
