import LatchKit

/// The thumbnails that were used last, as many as fit into a number of bytes.
struct ThumbnailMemory {
    private struct Entry {
        let thumbnail: Thumbnail
        var use: Int
    }

    private let limit: Int
    private var entries: [PictureID: Entry] = [:]
    /// The uses in order. Only the last one of a thumbnail counts.
    private var uses: [(id: PictureID, use: Int)] = []
    private var lastUse = 0
    private(set) var bytes = 0

    init(limit: Int) { self.limit = limit }

    mutating func find(_ id: PictureID) -> Thumbnail? {
        guard let thumbnail = entries[id]?.thumbnail else { return nil }
        recordUse(of: id)
        return thumbnail
    }

    mutating func insert(_ thumbnail: Thumbnail, for id: PictureID) {
        guard thumbnail.bytes.count <= limit else { return }
        bytes += thumbnail.bytes.count - (entries[id]?.thumbnail.bytes.count ?? 0)
        entries[id] = Entry(thumbnail: thumbnail, use: 0)
        recordUse(of: id)
        guard bytes > limit else { return }
        // Removes a tenth more than needed, so that this is rarely done.
        var kept = uses[...]
        while bytes > limit * 9 / 10, entries.count > 1, let oldest = kept.popFirst() {
            guard entries[oldest.id]?.use == oldest.use else { continue }
            bytes -= entries.removeValue(forKey: oldest.id)?.thumbnail.bytes.count ?? 0
        }
        uses = Array(kept)
    }

    mutating func removeAll() { self = Self(limit: limit) }

    private mutating func recordUse(of id: PictureID) {
        lastUse += 1
        entries[id]?.use = lastUse
        uses.append((id, lastUse))
        if uses.count > 4 * entries.count + 64 { uses.removeAll { entries[$0.id]?.use != $0.use } }
    }
}
