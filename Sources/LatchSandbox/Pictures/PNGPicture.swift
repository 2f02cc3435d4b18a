/// Writes screenshots as uncompressed true-colour PNG.
///
/// Source: PNG (Third Edition) §5, §10; RFC 1950 §2.2; RFC 1951 §3.2.4.
struct PNGPicture {
    let width: Int
    let height: Int
    let scene: Scene

    /// Returns the contents of the file.
    func bytes() -> [UInt8] {
        var header: [UInt8] = []
        header.append(width, bytes: 4)
        header.append(height, bytes: 4)
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        Self.chunk("IHDR", header + [8, 2, 0, 0, 0], to: &file)
        Self.chunk("IDAT", Self.stored(lines), to: &file)
        Self.chunk("IEND", [], to: &file)
        return file
    }

    private var lines: [UInt8] {
        var lines: [UInt8] = []
        for y in 0..<height {
            lines.append(0)
            for x in 0..<width { lines += scene.colour(Double(x) / Double(width), Double(y) / Double(height)).rgb }
        }
        return lines
    }

    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var position = 0
        while position < bytes.count {
            let end = min(position + 65_535, bytes.count)
            stream.append(end == bytes.count ? 1 : 0)
            let count = end - position
            for part in [count & 0xFF, count >> 8, ~count & 0xFF, ~count >> 8 & 0xFF] { stream.append(UInt8(part)) }
            stream += bytes[position..<end]
            position = end
        }
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        stream.append(high << 16 | low, bytes: 4)
        return stream
    }

    private static func chunk(_ name: String, _ content: [UInt8], to file: inout [UInt8]) {
        file.append(content.count, bytes: 4)
        let checked = Array(name.utf8) + content
        file += checked
        file.append(Int(checksum(checked)), bytes: 4)
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        let table = table
        return ~bytes.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}
