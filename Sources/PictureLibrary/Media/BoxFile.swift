import FoundationEssentials

/// A file that consists of boxes: videos (MP4, MOV) and the photographs of current phones (HEIC, AVIF).
///
/// Source: ISO/IEC 14496-12 §4.2, §8.2.2 (mvhd), §8.3.2 (tkhd), §8.11 (meta); QuickTime File Format, "Atoms".
struct BoxFile {
    /// A box and the range of its content, as positions in the file.
    struct Box {
        let type: String
        let start: Int
        let end: Int
    }

    let file: MediaBytes

    init(_ file: MediaBytes) {
        self.file = file
    }

    func facts() -> MediaFacts {
        var facts = MediaFacts()
        for box in boxes(0, file.count) {
            switch box.type {
            case "moov": film(box, &facts)
            case "meta": ItemFile(self, box).read(into: &facts)
            default: break
            }
        }
        return facts
    }

    /// Returns the consecutive boxes between two positions, at most 256.
    func boxes(_ start: Int, _ end: Int) -> [Box] {
        var found: [Box] = []
        var position = start
        while found.count < 256, position + 8 <= end, let head = file.bytes(position, 8) {
            guard var size = head.number(0, 4) else { break }
            let type = String(decoding: head.bytes[4..<8], as: UTF8.self)
            var headSize = 8
            if size == 1 {
                guard let large = file.bytes(position + 8, 8)?.number(0, 8) else { break }
                (size, headSize) = (large, 16)
            } else if size == 0 {
                size = end - position
            }
            guard size >= headSize, size <= end - position else { break }
            found.append(Box(type: type, start: position + headSize, end: position + size))
            position += size
        }
        return found
    }

    private func film(_ movie: Box, _ facts: inout MediaFacts) {
        for box in boxes(movie.start, movie.end) {
            switch box.type {
            case "mvhd": movieHeader(box, &facts)
            case "trak":
                for inner in boxes(box.start, box.end) where inner.type == "tkhd" { trackHeader(inner, &facts) }
            default: break
            }
        }
    }

    private func movieHeader(_ box: Box, _ facts: inout MediaFacts) {
        guard let fields = file.bytes(box.start, min(32, box.end - box.start)), let version = fields.number(0, 1) else {
            return
        }
        let wide = version == 1 ? 8 : 4
        let scale = fields.number(4 + 2 * wide, 4)
        if let scale, scale > 0, let length = fields.number(8 + 2 * wide, wide), length < 1 << 48 {
            facts.duration = length * 1_000 / scale
        }
        // In seconds since 1904. Zero means unknown.
        if let created = fields.number(4, wide), created > 2_082_844_800, created < 2_082_844_800 + 253_402_300_800 {
            facts.taken = MediaTime(instant: Date(timeIntervalSince1970: Double(created - 2_082_844_800)))
        }
    }

    /// Reads the size of a track. Tracks without pictures have the size 0 by 0 and are ignored.
    private func trackHeader(_ box: Box, _ facts: inout MediaFacts) {
        guard let version = file.bytes(box.start, 1)?.number(0, 1), facts.width == nil else { return }
        let matrix = version == 1 ? 52 : 40
        guard let fields = file.bytes(box.start + matrix, 44), box.start + matrix + 44 <= box.end,
            let width = fields.number(36, 4), let height = fields.number(40, 4), width >> 16 > 0, height >> 16 > 0
        else { return }
        (facts.width, facts.height) = (width >> 16, height >> 16)
        // The matrix of a rotation by 90 degrees has zeros on its diagonal.
        if fields.number(0, 4) == 0, fields.number(16, 4) == 0 { swap(&facts.width, &facts.height) }
    }
}
