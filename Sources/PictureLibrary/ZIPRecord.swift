/// The records of one file in a ZIP archive: the header before it, the descriptor after it, and its row in the
/// directory.
///
/// The file is stored without compression. Its checksum is known only after it has been read, so the checksum follows
/// the file in the data descriptor. Sizes and offsets of 4 GiB and more use the fields of Zip64.
///
/// Source: PKWARE APPNOTE 6.3.10, §4.3.7, §4.3.9, §4.3.12, §4.4.4 and §4.5.3; the extended timestamp is Info-ZIP's
/// extra field 0x5455.
struct ZIPRecord: Sendable {
    let name: [UInt8]
    let size: Int
    /// When the file was last modified, since 1970.
    let modified: Duration
    /// The offset of the local header in the archive.
    let offset: Int

    private static let largest32 = 0xFFFF_FFFF
    /// Bit 3: the sizes follow the file. Bit 11: names are UTF-8.
    private static let flags = 1 << 3 | 1 << 11

    /// Whether the sizes need eight bytes.
    private var isLarge: Bool { size >= Self.largest32 }
    private var isFar: Bool { offset >= Self.largest32 }

    /// The number of bytes before and after the file's content, without the row in the directory.
    var overhead: Int { localHeader.count + (isLarge ? 24 : 16) }

    var localHeader: [UInt8] {
        var bytes = ZIPBytes()
        bytes.add(0x0403_4B50, 4)
        addCommon(&bytes, isZIP64: isLarge, checksum: 0, size: isLarge ? Self.largest32 : 0)
        let extra = (isLarge ? Self.zip64([0, 0]) : []) + timestamp
        bytes.add(extra.count, 2)
        bytes.all += name + extra
        return bytes.all
    }

    func descriptor(checksum: UInt32) -> [UInt8] {
        var bytes = ZIPBytes()
        bytes.add(0x0807_4B50, 4)
        bytes.add(Int(checksum), 4)
        for _ in 0..<2 { bytes.add(size, isLarge ? 8 : 4) }
        return bytes.all
    }

    /// Returns the file's row in the directory.
    func row(checksum: UInt32) -> [UInt8] {
        var bytes = ZIPBytes()
        bytes.add(0x0201_4B50, 4)
        // Version made by: Unix, so that the file mode below applies.
        bytes.add(3 << 8 | 45, 2)
        addCommon(
            &bytes, isZIP64: isLarge || isFar, checksum: checksum, size: isLarge ? Self.largest32 : size)
        let large = (isLarge ? [size, size] : []) + (isFar ? [offset] : [])
        let extra = (large.isEmpty ? [] : Self.zip64(large)) + timestamp
        bytes.add(extra.count, 2)
        // Comment length, volume number and internal attributes are zero.
        for _ in 0..<3 { bytes.add(0, 2) }
        bytes.add(0o100644 << 16, 4)
        bytes.add(isFar ? Self.largest32 : offset, 4)
        bytes.all += name + extra
        return bytes.all
    }

    /// The length of ``row(checksum:)`` in bytes.
    var rowCount: Int { row(checksum: 0).count }

    private func addCommon(_ bytes: inout ZIPBytes, isZIP64: Bool, checksum: UInt32, size: Int) {
        bytes.add(isZIP64 ? 45 : 20, 2)
        bytes.add(Self.flags, 2)
        bytes.add(0, 2)
        let (date, time) = ZIPTime.fields(modified)
        bytes.add(time, 2)
        bytes.add(date, 2)
        bytes.add(Int(checksum), 4)
        bytes.add(size, 4)
        bytes.add(size, 4)
        bytes.add(name.count, 2)
    }

    private static func zip64(_ values: [Int]) -> [UInt8] {
        var bytes = ZIPBytes()
        bytes.add(1, 2)
        bytes.add(values.count * 8, 2)
        for value in values { bytes.add(value, 8) }
        return bytes.all
    }

    /// The extra field with the modification time in seconds and UTC, which the MS-DOS fields cannot express.
    private var timestamp: [UInt8] {
        guard let seconds = Int32(exactly: modified.components.seconds) else { return [] }
        var bytes = ZIPBytes()
        bytes.add(0x5455, 2)
        bytes.add(5, 2)
        bytes.add(1, 1)
        bytes.add(Int(UInt32(bitPattern: seconds)), 4)
        return bytes.all
    }
}

/// A buffer of little-endian numbers, as ZIP writes them.
struct ZIPBytes {
    var all: [UInt8] = []

    mutating func add(_ value: Int, _ count: Int) {
        for index in 0..<count { all.append(UInt8(truncatingIfNeeded: value >> (index * 8))) }
    }
}
