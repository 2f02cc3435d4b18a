/// A parser for JPEG files, which reads the segments before the image data.
///
/// Source: ITU-T T.81 §B.1, §B.2.2; Exif 2.32 §4.7.2 for APP1.
enum JPEGFile {
    static func facts(_ file: MediaBytes) -> MediaFacts {
        var facts = MediaFacts()
        for segment in Segments(file: file) {
            switch segment.marker {
            case 0xE1: if let exif = exif(in: segment, of: file) { ExifDirectory.read(exif, into: &facts) }
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let frame = file.bytes(segment.start, 5) else { break }
                (facts.height, facts.width) = (frame.number(1, 2), frame.number(3, 2))
            default: break
            }
        }
        facts.turn()
        return facts
    }

    /// Returns the small picture that the camera put into the Exif data, as a JPEG file with the orientation of the
    /// large one. Nil when there is none. Nothing is decoded, so the picture may be invalid.
    ///
    /// Source: Exif 2.32 §4.5.5, §4.8; the small picture has no orientation of its own.
    static func thumbnail(_ file: MediaBytes) -> [UInt8]? {
        guard file.bytes(0, 2)?.bytes == [0xFF, 0xD8] else { return nil }
        for segment in Segments(file: file) where segment.marker == 0xE1 {
            guard let exif = exif(in: segment, of: file), let (small, orientation) = ExifDirectory.thumbnail(exif),
                small.starts(with: [0xFF, 0xD8, 0xFF])
            else { continue }
            guard let orientation, (2...8).contains(orientation) else { return Array(small) }
            return [0xFF, 0xD8] + orientationSegment(orientation) + small.dropFirst(2)
        }
        return nil
    }

    /// An APP1 segment whose Exif data has only the orientation.
    private static func orientationSegment(_ orientation: Int) -> [UInt8] {
        let directory: [UInt8] = [0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
        let exif = Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8] + directory
        return [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif
    }

    private static func exif(in segment: Segment, of file: MediaBytes) -> [UInt8]? {
        guard segment.count > 6, let content = file.bytes(segment.start, segment.count), content.text(0, 4) == "Exif"
        else { return nil }
        return Array(content.bytes.dropFirst(6))
    }

    private struct Segment {
        let marker: UInt8
        /// The position of the content.
        let start: Int
        let count: Int
    }

    /// The segments before the image data, at most 256 of them.
    private struct Segments: Sequence, IteratorProtocol {
        let file: MediaBytes
        private var position = 2
        private var steps = 0

        init(file: MediaBytes) { self.file = file }

        mutating func next() -> Segment? {
            while steps < 256, let head = file.bytes(position, 4), head.bytes[0] == 0xFF, let length = head.number(2, 2)
            {
                steps += 1
                switch head.bytes[1] {
                // Any number of these bytes may precede a marker.
                case 0xFF: position += 1
                case 0xD9, 0xDA: return nil
                default:
                    defer { position += 2 + Swift.max(2, length) }
                    return Segment(marker: head.bytes[1], start: position + 4, count: length - 2)
                }
            }
            return nil
        }
    }
}
