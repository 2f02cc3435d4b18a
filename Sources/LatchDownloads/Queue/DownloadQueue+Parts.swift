import FoundationEssentials
import HTTPClient
import LatchKit

/// The parts in the folder that no task can go on with. Several queues may have theirs there.
extension DownloadQueue {
    /// How long another queue's part must have lain untouched to be taken for one that nobody comes back for.
    private static let abandonedAfter: TimeInterval = 30 * 86_400

    private nonisolated var parts: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: partsFolder)) ?? []).filter { $0.hasSuffix(".part") }
    }

    /// Removes the parts of what was taken out of the queue, unless a program fetches: that one does it.
    func removeLeftParts() async throws {
        guard parts.contains(where: partName.isOwn), let lock = try? latch.accounts.lockDownloadsIfFree() else {
            return
        }
        defer { lock.release() }
        try await removeStrayParts()
    }

    /// Removes this queue's parts that no task can go on with: what was cancelled or forgotten, or belonged to an
    /// account that is gone.
    func removeStrayParts() async throws {
        let parts = parts.filter(partName.isOwn)
        guard !parts.isEmpty else { return }
        var names: Set<String> = []
        try await forEachPartOwner { account, id in
            names.insert(partName.of(account, id))
            names.insert(partName.joined(account, id))
        }
        // What this program is about to put in its place may be between two owners.
        for row in running.values.map(\.row) + placing.values.map(\.row) {
            names.insert(partName.of(row.task.account, row.task.id))
            names.insert(partName.joined(row.task.account, row.task.metadata.liveID ?? row.task.id))
        }
        for name in parts where !names.contains(name) {
            (try? DownloadPart(path: partsFolder + "/" + name, isThere: true))?.remove()
        }
    }

    /// Removes what ``removePlaceholders()`` does before tasks are taken out, unless a program fetches: that one has
    /// done so.
    func removeLeftPlaceholders() async throws {
        guard parts.contains(where: partName.isOwn), let lock = try? latch.accounts.lockDownloadsIfFree() else {
            return
        }
        defer { lock.release() }
        try await removePlaceholders()
    }

    /// Removes the empty files that took the places of parts before a crash, where a disk needs such: when their tasks
    /// are gone, nobody knows what they are.
    func removePlaceholders() async throws {
        for row in try await store.unplaced() { _ = standing(row) }
    }

    /// Sorts out, before anything runs, what is not called as this queue's parts are.
    ///
    /// Earlier versions had no owner in the names. Those of this queue's tasks get their new names, and go on. All
    /// others may be another client's, paused or from before its own upgrade: they stay, like parts of other owners,
    /// until they are so old that nobody can be expected back.
    func sortForeignParts() async throws {
        var foreign = Set(parts.filter { !partName.isOwn($0) })
        guard !foreign.isEmpty else { return }
        try await forEachPartOwner { account, id in
            for (old, new) in [
                (PartName.old(account, id), partName.of(account, id)),
                (PartName.oldJoined(account, id), partName.joined(account, id)),
            ] where foreign.remove(old) != nil {
                // Where it cannot be renamed, the task begins anew.
                try? FileManager.default.moveItem(atPath: partsFolder + "/" + old, toPath: partsFolder + "/" + new)
            }
        }
        let limit = now().addingTimeInterval(-Self.abandonedAfter)
        for path in foreign.map({ partsFolder + "/" + $0 }) where isUntouched(path, since: limit) {
            // One that cannot be locked is being written.
            guard let part = try? DownloadPart(path: path, isThere: true) else { continue }
            if isUntouched(path, since: limit) { part.remove() }
        }
    }

    private nonisolated func isUntouched(_ path: String, since limit: Date) -> Bool {
        DownloadPart.lastChange(of: path).map { $0 < limit } ?? false
    }

    /// Goes through the tasks that may have a part.
    private func forEachPartOwner(_ body: (UUID, String) -> Void) async throws {
        var last = 0
        while case let rows = try await store.open(after: last, limit: 10_000), let end = rows.last {
            for row in rows { body(row.account, row.id) }
            last = end.position
        }
    }
}
