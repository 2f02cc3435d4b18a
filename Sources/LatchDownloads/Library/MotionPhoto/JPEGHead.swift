/// The segments before the image data of a JPEG file, as far as needed to add an XMP packet.
///
/// Source: ITU-T T.81 annex B; Adobe, "XMP Specification Part 3" §1.1.3.
struct JPEGHead: Sendable {
    /// An error for data that is not a JPEG file, or that ends before the image data.
    struct NotJPEG: Error {}

    /// The range of the packet's segment with its marker, and its text. Nil when there is none.
    var packet: (place: Range<Int>, text: String)?
    /// The offset after the segments with the format and the camera's data. A new packet is inserted here.
    private(set) var afterCamera: Int

    private static let packetName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let exifName = Array("Exif\0\0".utf8)
    private static let application = 0xE0...0xEF
    /// The maximum number of segments, more than any camera writes. It keeps a file of nothing but segments from being
    /// read to its end.
    private static let maximumSegments = 4_096

    /// Reads the segments.
    ///
    /// - Parameter read: Returns `count` bytes from an offset, or fewer at the end of the file.
    /// - Throws: ``NotJPEG``; what `read` throws.
    init(_ read: (_ offset: Int, _ count: Int) async throws -> [UInt8]) async throws {
        guard try await read(0, 2) == [0xFF, 0xD8] else { throw NotJPEG() }
        afterCamera = 2
        var offset = 2
        for _ in 0..<Self.maximumSegments {
            let head = try await read(offset, 4)
            guard head.count == 4, head[0] == 0xFF else { throw NotJPEG() }
            let marker = Int(head[1])
            // Any number of fill bytes may come before a marker (ITU-T T.81 B.1.1.2).
            if marker == 0xFF {
                offset += 1
                continue
            }
            if marker == 0xDA { return }
            let length = Int(head[2]) << 8 | Int(head[3])
            guard marker >= 0xC0, marker != 0xD8, marker != 0xD9, length >= 2 else { throw NotJPEG() }
            let place = offset..<(offset + 2 + length)
            try await scan(at: place, marker, read)
            offset = place.upperBound
        }
        throw NotJPEG()
    }

    private mutating func scan(
        at place: Range<Int>, _ marker: Int, _ read: (_ offset: Int, _ count: Int) async throws -> [UInt8]
    ) async throws {
        guard Self.application.contains(marker) else { return }
        if marker == 0xE0, afterCamera == place.lowerBound { afterCamera = place.upperBound }
        guard marker == 0xE1 else { return }
        let body = try await read(place.lowerBound + 4, place.count - 4)
        guard body.count == place.count - 4 else { throw NotJPEG() }
        if body.starts(with: Self.exifName) { afterCamera = place.upperBound }
        guard packet == nil, body.starts(with: Self.packetName) else { return }
        // A packet in another encoding cannot be extended.
        let text = String(validating: body[Self.packetName.count...], as: UTF8.self) ?? ""
        packet = (place, text)
    }

    /// Returns the segment of a packet, or nil when it is too long for a segment.
    static func segment(ofPacket packet: String) -> [UInt8]? {
        let length = 2 + packetName.count + packet.utf8.count
        guard length <= 0xFFFF else { return nil }
        return [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + packetName + Array(packet.utf8)
    }
}
