/// The Exif metadata of a photograph, as stored in the file.
///
/// Source: TIFF 6.0 §2; Exif 2.32 §4.6.
enum ExifBlock {
    /// Returns a block with the camera, the time and the UTC offset.
    ///
    /// - Parameters:
    ///   - taken: The local time, such as `2024:07:01 18:30:59`.
    ///   - offset: The UTC offset, such as `+02:00`.
    /// - Returns: The block, starting with `MM`.
    static func bytes(taken: String, offset: String) -> [UInt8] {
        let main: [(tag: Int, text: String)] = [(0x010F, "Latchstring"), (0x0110, "Sandbox 1")]
        let exif: [(tag: Int, text: String)] = [(0x9003, taken), (0x9011, offset)]
        // The header, the main directory with the offset of the Exif directory, the Exif directory, and the texts.
        let second = 8 + 2 + (main.count + 1) * 12 + 4
        var texts: [UInt8] = []
        let start = second + 2 + exif.count * 12 + 4
        var file: [UInt8] = Array("MM".utf8)
        file.append(42, bytes: 2)
        file.append(8, bytes: 4)
        file.append(main.count + 1, bytes: 2)
        for (tag, text) in main { entry(tag, text, start, &texts, to: &file) }
        for (value, bytes) in [(0x8769, 2), (4, 2), (1, 4), (second, 4), (0, 4)] { file.append(value, bytes: bytes) }
        file.append(exif.count, bytes: 2)
        for (tag, text) in exif { entry(tag, text, start, &texts, to: &file) }
        file.append(0, bytes: 4)
        return file + texts
    }

    private static func entry(
        _ tag: Int, _ text: String, _ start: Int, _ texts: inout [UInt8], to file: inout [UInt8]
    ) {
        let bytes = Array(text.utf8) + [0]
        for (value, count) in [(tag, 2), (2, 2), (bytes.count, 4), (start + texts.count, 4)] {
            file.append(value, bytes: count)
        }
        texts += bytes
        // Texts start at even offsets.
        if bytes.count % 2 == 1 { texts.append(0) }
    }
}
