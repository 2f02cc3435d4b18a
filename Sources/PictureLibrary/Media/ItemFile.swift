/// The pictures and the Exif data of a box file that contains items: HEIC and AVIF.
///
/// Source: ISO/IEC 14496-12 §8.11.3 (iloc), §8.11.6 (iinf), §8.11.14 (iprp); ISO/IEC 23008-12 §6.5.3 (ispe), §A.2.1
/// (Exif).
struct ItemFile {
    private let file: BoxFile
    private let boxes: [BoxFile.Box]

    init(_ file: BoxFile, _ meta: BoxFile.Box) {
        self.file = file
        boxes = file.boxes(meta.start + 4, meta.end)
    }

    func read(into facts: inout MediaFacts) {
        size(&facts)
        guard let id = exifItem(), let place = location(of: id), place.count > 4,
            let item = file.file.bytes(place.start, place.count), let skipped = item.number(0, 4),
            let exif = item.slice(4 + skipped, item.bytes.count - 4 - skipped)
        else { return }
        ExifDirectory.read(Array(exif), into: &facts)
        // A separate property rotates the picture, so the orientation of Exif is informative only.
    }

    /// Reads the largest size. Thumbnails and the tiles of a grid have smaller ones.
    private func size(_ facts: inout MediaFacts) {
        var turns = false
        for properties in boxes where properties.type == "iprp" {
            for container in file.boxes(properties.start, properties.end) where container.type == "ipco" {
                for property in file.boxes(container.start, container.end) {
                    guard let fields = file.file.bytes(property.start, min(12, property.end - property.start)) else {
                        continue
                    }
                    if property.type == "irot" { turns = (fields.number(0, 1) ?? 0) % 2 == 1 }
                    guard property.type == "ispe", let width = fields.number(4, 4), let height = fields.number(8, 4),
                        max(width, height) <= 1 << 24, width * height > (facts.width ?? 0) * (facts.height ?? 0)
                    else { continue }
                    (facts.width, facts.height) = (width, height)
                }
            }
        }
        if turns { swap(&facts.width, &facts.height) }
    }

    private func exifItem() -> Int? {
        guard let list = boxes.first(where: { $0.type == "iinf" }), let head = file.file.bytes(list.start, 6) else {
            return nil
        }
        let entries = list.start + (head.number(0, 1) == 0 ? 6 : 8)
        for entry in file.boxes(entries, list.end) where entry.type == "infe" {
            guard let fields = file.file.bytes(entry.start, min(16, entry.end - entry.start)) else { continue }
            let wide = fields.number(0, 1) == 3 ? 4 : 2
            if fields.text(4 + wide + 2, 4) == "Exif" { return fields.number(4, wide) }
        }
        return nil
    }

    private func location(of id: Int) -> (start: Int, count: Int)? {
        guard let box = boxes.first(where: { $0.type == "iloc" }), box.end - box.start <= 1 << 16,
            let fields = file.file.bytes(box.start, box.end - box.start), let version = fields.number(0, 1),
            let sizes = fields.number(4, 2)
        else { return nil }
        let (offsetSize, lengthSize, baseSize) = (sizes >> 12 & 15, sizes >> 8 & 15, sizes >> 4 & 15)
        let indexSize = version == 0 ? 0 : sizes & 15
        let wide = version == 2 ? 4 : 2
        guard let count = fields.number(6, wide) else { return nil }
        var position = 6 + wide
        for _ in 0..<min(count, 4_096) {
            guard let item = fields.number(position, wide) else { return nil }
            position += wide
            let method = version == 0 ? 0 : fields.number(position, 2)
            position += version == 0 ? 2 : 4
            guard let base = number(in: fields, at: position, count: baseSize) else { return nil }
            position += baseSize
            guard let extents = fields.number(position, 2) else { return nil }
            position += 2
            if item == id {
                guard method == 0, extents > 0,
                    let offset = number(in: fields, at: position + indexSize, count: offsetSize),
                    let length = number(in: fields, at: position + indexSize + offsetSize, count: lengthSize)
                else { return nil }
                let (start, isTooFar) = base.addingReportingOverflow(offset)
                return isTooFar ? nil : (start, length)
            }
            position += extents * (indexSize + offsetSize + lengthSize)
        }
        return nil
    }

    /// Returns a number whose size the file specifies, 0 to 8 bytes. Zero for a size of 0.
    private func number(in fields: MediaFields, at position: Int, count: Int) -> Int? {
        count == 0 ? 0 : fields.number(position, count)
    }
}
