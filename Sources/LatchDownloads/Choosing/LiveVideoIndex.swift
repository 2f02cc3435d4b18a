import Database
import FoundationEssentials
import HTTPMessages

/// What is known about many videos of live photos, in little memory. Half of the photographs of a phone may have one.
///
/// Each video takes 44 bytes without gaps. All must be known before the first picture is processed, because a server
/// lists a video by its own time, which may be hours from the picture's.
struct LiveVideoIndex {
    /// One video. All fields fit into 4-byte units, so that there is no padding between two entries.
    private struct Video {
        var id: (UInt32, UInt32, UInt32, UInt32)
        var digest: (UInt32, UInt32, UInt32, UInt32, UInt32)
        var lowSize: UInt32
        var highSize: UInt16
        var ending: UInt8
        var flags: UInt8

        static let (isSized, isHashed, isDigestAdvice): (UInt8, UInt8, UInt8) = (1, 2, 4)
    }

    /// The number of videos that are sorted at once. Growing the array never copies more than these.
    private static let runSize = 65_536

    /// The full runs, each sorted by the ids of the videos.
    private var runs: [[Video]] = []
    /// The run that is being filled. It is sorted before a lookup.
    private var last: [Video] = []
    private var isSorted = true
    /// The distinct file name extensions, which are few.
    private var endings: [String] = []

    mutating func add(_ asset: JSONValue, _ reading: ImmichAssetReading) {
        guard let id = ImmichAssetReading.id(asset).flatMap({ UUID(text: $0) }) else { return }
        let facts = reading.facts(asset)
        // The index of an extension is stored in one byte. A video with a further extension gets the first one.
        if !endings.contains(facts.ending), endings.count < 255 { endings.append(facts.ending) }
        last.append(pack(id, facts))
        isSorted = false
        guard last.count >= Self.runSize else { return }
        sort()
        runs.append(last)
        last = []
    }

    /// Returns what is known about the video of a picture.
    mutating func facts(of asset: JSONValue) -> LiveVideoFacts? {
        guard let id = ImmichAssetReading.video(of: asset).flatMap({ UUID(text: $0) }) else { return nil }
        if !isSorted { sort() }
        let key = Self.words(of: id)
        if let video = Self.find(key, in: last) { return unpack(video) }
        for run in runs {
            if let video = Self.find(key, in: run) { return unpack(video) }
        }
        return nil
    }

    private mutating func sort() {
        last.sort { $0.id < $1.id }
        isSorted = true
    }

    private static func find(_ id: (UInt32, UInt32, UInt32, UInt32), in videos: [Video]) -> Video? {
        var (low, high) = (0, videos.count)
        while low < high {
            let middle = (low + high) / 2
            if videos[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < videos.count && videos[low].id == id ? videos[low] : nil
    }

    private func pack(_ id: UUID, _ facts: LiveVideoFacts) -> Video {
        let size = facts.size ?? 0
        // 48 bits are enough for any real file.
        let isSized = facts.size != nil && size >> 48 == 0
        let sha1 = facts.sha1 ?? []
        let isHashed = sha1.count == 20
        func word(_ index: Int) -> UInt32 { isHashed ? Self.word(sha1[(4 * index)..<(4 * index + 4)]) : 0 }
        return Video(
            id: Self.words(of: id), digest: (word(0), word(1), word(2), word(3), word(4)),
            lowSize: UInt32(truncatingIfNeeded: size), highSize: UInt16(truncatingIfNeeded: size >> 32),
            ending: UInt8(endings.firstIndex(of: facts.ending) ?? 0),
            flags: (isSized ? Video.isSized : 0) | (isHashed ? Video.isHashed : 0)
                | (facts.isDigestAdvice ? Video.isDigestAdvice : 0))
    }

    private func unpack(_ video: Video) -> LiveVideoFacts {
        let digest = [video.digest.0, video.digest.1, video.digest.2, video.digest.3, video.digest.4]
        return LiveVideoFacts(
            size: video.flags & Video.isSized == 0 ? nil : Int(video.highSize) << 32 | Int(video.lowSize),
            sha1: video.flags & Video.isHashed == 0 ? nil : digest.flatMap(Self.bytes),
            isDigestAdvice: video.flags & Video.isDigestAdvice != 0, ending: endings[Int(video.ending)])
    }

    private static func words(of id: UUID) -> (UInt32, UInt32, UInt32, UInt32) {
        let bytes = id.uuid
        return (
            word([bytes.0, bytes.1, bytes.2, bytes.3]), word([bytes.4, bytes.5, bytes.6, bytes.7]),
            word([bytes.8, bytes.9, bytes.10, bytes.11]), word([bytes.12, bytes.13, bytes.14, bytes.15])
        )
    }

    private static func word(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    private static func bytes(_ word: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
    }
}
