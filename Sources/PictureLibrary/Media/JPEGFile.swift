/// A parser for JPEG files, which reads the segments before the image data.
///
/// Source: ITU-T T.81 §B.1, §B.2.2; Exif 2.32 §4.7.2 for APP1.
enum JPEGFile {
    static func facts(_ file: MediaBytes) -> MediaFacts {
        var facts = MediaFacts()
        var position = 2
        for _ in 0..<256 {
            guard let head = file.bytes(position, 4), head.bytes[0] == 0xFF, let length = head.number(2, 2) else {
                break
            }
            switch head.bytes[1] {
            case 0xFF:
                // Any number of these bytes may precede a marker.
                position += 1
                continue
            case 0xD9, 0xDA: return turned(facts)
            case 0xE1: readExif(of: file, at: position + 4, count: length - 2, into: &facts)
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let frame = file.bytes(position + 4, 5) else { return turned(facts) }
                (facts.height, facts.width) = (frame.number(1, 2), frame.number(3, 2))
            default: break
            }
            position += 2 + max(2, length)
        }
        return turned(facts)
    }

    private static func readExif(
        of file: MediaBytes, at position: Int, count: Int, into facts: inout MediaFacts
    ) {
        guard count > 6, let segment = file.bytes(position, count), segment.text(0, 4) == "Exif" else { return }
        ExifDirectory.read(Array(segment.bytes.dropFirst(6)), into: &facts)
    }

    private static func turned(_ facts: MediaFacts) -> MediaFacts {
        var facts = facts
        facts.turn()
        return facts
    }
}
