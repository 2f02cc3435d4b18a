/// What stands before a JPEG's picture, as far as an XMP packet needs to know.
///
/// Source: ITU-T T.81 annex B; Adobe, "XMP Specification Part 3" §1.1.3.
struct JPEGHead: Sendable {
    /// It is none, or it ends before the picture begins.
    struct NotJPEG: Error {}

    /// Where the packet is, with its marker, and what it says.
    var packet: (place: Range<Int>, text: String)?
    /// Behind the segments that name the format and what the camera said: the place of a new packet.
    private(set) var afterCamera: Int

    private static let packetName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let exifName = Array("Exif\0\0".utf8)
    private static let application = 0xE0...0xEF
    /// More than any camera writes; a file of nothing but segments must not be read to its end.
    private static let maximumSegments = 4_096

    /// Reads it.
    ///
    /// - Parameter read: Gives so many bytes from an offset on; fewer where the file ends.
    /// - Throws: ``NotJPEG``; what `read` throws.
    init(_ read: (_ offset: Int, _ count: Int) async throws -> [UInt8]) async throws {
        guard try await read(0, 2) == [0xFF, 0xD8] else { throw NotJPEG() }
        afterCamera = 2
        var offset = 2
        for _ in 0..<Self.maximumSegments {
            let head = try await read(offset, 4)
            guard head.count == 4, head[0] == 0xFF else { throw NotJPEG() }
            let marker = Int(head[1])
            if marker == 0xFF {
                offset += 1
                continue
            }
            if marker == 0xDA { return }
            let length = Int(head[2]) << 8 | Int(head[3])
            guard marker >= 0xC0, marker != 0xD8, marker != 0xD9, length >= 2 else { throw NotJPEG() }
            let place = offset..<(offset + 2 + length)
            try await look(at: place, marker, read)
            offset = place.upperBound
        }
        throw NotJPEG()
    }

    private mutating func look(
        at place: Range<Int>, _ marker: Int, _ read: (_ offset: Int, _ count: Int) async throws -> [UInt8]
    ) async throws {
        guard Self.application.contains(marker) else { return }
        if marker == 0xE0, afterCamera == place.lowerBound { afterCamera = place.upperBound }
        guard marker == 0xE1 else { return }
        let body = try await read(place.lowerBound + 4, place.count - 4)
        guard body.count == place.count - 4 else { throw NotJPEG() }
        if body.starts(with: Self.exifName) { afterCamera = place.upperBound }
        guard packet == nil, body.starts(with: Self.packetName) else { return }
        // In another encoding it is nothing that could be added to.
        let text = String(validating: body[Self.packetName.count...], as: UTF8.self) ?? ""
        packet = (place, text)
    }

    /// The segment of a packet; nil when it is longer than a segment may be.
    static func segment(ofPacket packet: String) -> [UInt8]? {
        let length = 2 + packetName.count + packet.utf8.count
        guard length <= 0xFFFF else { return nil }
        return [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + packetName + Array(packet.utf8)
    }
}
