/// The directories of tags that cameras write into pictures.
///
/// Source: TIFF 6.0 §2; Exif 2.32 §4.6.
enum ExifDirectory {
    private enum Tag {
        static let make = 0x010F
        static let model = 0x0110
        static let orientation = 0x0112
        static let changed = 0x0132
        static let thumbnailStart = 0x0201
        static let thumbnailCount = 0x0202
        static let exif = 0x8769
        static let taken = 0x9003
        static let takenOffset = 0x9011
    }

    /// Reads the tags of the TIFF structure `bytes` into `facts`. Values that cannot be parsed are ignored.
    static func read(_ bytes: [UInt8], into facts: inout MediaFacts) {
        guard let (fields, first) = start(bytes) else { return }
        let main = entries(fields, first)
        facts.make = text(fields, main[Tag.make]) ?? facts.make
        facts.model = text(fields, main[Tag.model]) ?? facts.model
        facts.orientation = main[Tag.orientation].flatMap { fields.number($0 + 8, 2) } ?? facts.orientation
        let exif = main[Tag.exif].flatMap { fields.number($0 + 8, 4) }.map { entries(fields, $0) } ?? [:]
        let moment = text(fields, exif[Tag.taken]) ?? text(fields, main[Tag.changed])
        let offset = text(fields, exif[Tag.takenOffset])
        facts.taken = moment.flatMap { MediaTime($0, offset: offset) } ?? facts.taken
    }

    /// Returns the small picture of the TIFF structure `bytes`, and the orientation of the large one. Nil when there is
    /// no small picture.
    static func thumbnail(_ bytes: [UInt8]) -> (bytes: ArraySlice<UInt8>, orientation: Int?)? {
        guard let (fields, first) = start(bytes), let count = fields.number(first, 2),
            let second = fields.number(first + 2 + count * 12, 4)
        else { return nil }
        let small = entries(fields, second)
        guard let start = small[Tag.thumbnailStart].flatMap({ fields.number($0 + 8, 4) }),
            let count = small[Tag.thumbnailCount].flatMap({ fields.number($0 + 8, 4) }),
            let thumbnail = fields.slice(start, count)
        else { return nil }
        return (thumbnail, entries(fields, first)[Tag.orientation].flatMap { fields.number($0 + 8, 2) })
    }

    /// Returns the fields of a TIFF structure in its byte order, and the position of the first directory.
    private static func start(_ bytes: [UInt8]) -> (MediaFields, Int)? {
        var fields = MediaFields(bytes)
        switch fields.text(0, 2) {
        case "II": fields.isLittleEndian = true
        case "MM": break
        default: return nil
        }
        guard fields.number(2, 2) == 42, let first = fields.number(4, 4) else { return nil }
        return (fields, first)
    }

    /// Returns the position of the entry of each tag.
    private static func entries(_ fields: MediaFields, _ start: Int) -> [Int: Int] {
        guard let count = fields.number(start, 2), count <= 512 else { return [:] }
        var entries: [Int: Int] = [:]
        for index in 0..<count {
            let position = start + 2 + index * 12
            guard let tag = fields.number(position, 2), fields.slice(position, 12) != nil else { break }
            entries[tag] = position
        }
        return entries
    }

    private static func text(_ fields: MediaFields, _ entry: Int?) -> String? {
        guard let entry, fields.number(entry + 2, 2) == 2, let count = fields.number(entry + 4, 4), count <= 256 else {
            return nil
        }
        guard let start = count <= 4 ? entry + 8 : fields.number(entry + 8, 4) else { return nil }
        return fields.text(start, count)
    }
}
