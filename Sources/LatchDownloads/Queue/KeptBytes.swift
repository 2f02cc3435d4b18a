import Database
import HTTPClient

/// What files have received that are not being fetched. It is kept on disk, and a later attempt resumes there.
struct KeptBytes {
    /// The bytes of files that wait or are paused.
    var open = 0
    /// The bytes of failed files.
    var failed = 0
}

extension DownloadQueue {
    /// The largest number of parts that are measured, so that the cost does not depend on the length of the queue.
    private static let mostParts = 1_000

    /// Measures the parts of the tasks that are not being fetched.
    ///
    /// - Parameter fetched: The positions of the tasks that are being fetched, or moved to their destinations.
    /// - Returns: The bytes of the parts.
    /// - Throws: A `LatchError` with a `storage` code.
    func keptBytes(except fetched: Set<Int>) async throws -> KeptBytes {
        let name = try await store.partName()
        var kept = KeptBytes()
        for row in try await store.open(after: 0, limit: Self.mostParts) where !fetched.contains(row.position) {
            let bytes = DownloadPart.size(of: folder.partsPath + "/" + name.of(row.account, row.id)) ?? 0
            if row.hasFailed { kept.failed += bytes } else { kept.open += bytes }
        }
        return kept
    }
}
