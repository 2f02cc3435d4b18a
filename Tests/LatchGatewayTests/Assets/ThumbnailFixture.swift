/// A photograph with a small picture of 160 by 120 pixels in its Exif data. Neither has image data.
enum ThumbnailFixture {
    /// The small picture as the camera stores it.
    static let small: [UInt8] = start + frame(160, 120) + [0xFF, 0xD9]

    /// The small picture with the orientation of the large one.
    static func small(orientation: UInt8) -> [UInt8] {
        let directory = number(1, 2) + entry(0x0112, 3, Int(orientation) << 16) + number(0, 4)
        return start + segment(0xE1, exifStart + directory) + small.dropFirst(2)
    }

    /// The large photograph, up to its image data.
    static func photograph(orientation: Int) -> [UInt8] {
        let main = number(1, 2) + entry(0x0112, 3, orientation << 16) + number(26, 4)
        let second = number(2, 2) + entry(0x0201, 4, 56) + entry(0x0202, 4, small.count) + number(0, 4)
        let end: [UInt8] = [0xFF, 0xDA]
        return start + segment(0xE0, Array("JFIF\0".utf8)) + segment(0xE1, exifStart + main + second + small)
            + frame(6_000, 4_000) + end
    }

    private static let start: [UInt8] = [0xFF, 0xD8]
    private static let exifStart = Array("Exif\0\0MM".utf8) + number(42, 2) + number(8, 4)

    private static func frame(_ width: Int, _ height: Int) -> [UInt8] {
        segment(0xC0, [8] + number(height, 2) + number(width, 2) + [1, 1, 0x11, 0])
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + number(content.count + 2, 2) + content
    }

    private static func entry(_ tag: Int, _ type: Int, _ value: Int) -> [UInt8] {
        number(tag, 2) + number(type, 2) + number(1, 4) + number(value, 4)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
