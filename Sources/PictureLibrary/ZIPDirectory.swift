/// The end of a ZIP archive, which contains the position of the directory and the number of files.
///
/// Source: PKWARE APPNOTE 6.3.10 §4.3.14 to §4.3.16.
enum ZIPDirectory {
    /// Returns the records behind the directory.
    ///
    /// - Parameters:
    ///   - count: The number of files.
    ///   - offset: The position of the directory.
    ///   - size: The size of the directory in bytes.
    /// - Returns: 22 bytes, or 98 with the records of Zip64 before them.
    static func end(count: Int, offset: Int, size: Int) -> [UInt8] {
        let isLarge = count >= 0xFFFF || offset >= 0xFFFF_FFFF || size >= 0xFFFF_FFFF
        var bytes = ZIPBytes()
        if isLarge { add64(&bytes, count: count, offset: offset, size: size) }
        bytes.add(0x0605_4B50, 4)
        for _ in 0..<2 { bytes.add(0, 2) }
        for _ in 0..<2 { bytes.add(min(count, 0xFFFF), 2) }
        bytes.add(min(size, 0xFFFF_FFFF), 4)
        bytes.add(min(offset, 0xFFFF_FFFF), 4)
        bytes.add(0, 2)
        return bytes.all
    }

    private static func add64(_ bytes: inout ZIPBytes, count: Int, offset: Int, size: Int) {
        bytes.add(0x0606_4B50, 4)
        // The size of the rest of this record.
        bytes.add(44, 8)
        bytes.add(3 << 8 | 45, 2)
        bytes.add(45, 2)
        for _ in 0..<2 { bytes.add(0, 4) }
        for _ in 0..<2 { bytes.add(count, 8) }
        bytes.add(size, 8)
        bytes.add(offset, 8)
        // The position of this record, on the only volume.
        bytes.add(0x0706_4B50, 4)
        bytes.add(0, 4)
        bytes.add(offset + size, 8)
        bytes.add(1, 4)
    }
}
