/// Writes a film to a file: MP4, or the MOV that phones write next to a photograph.
///
/// Source: ISO/IEC 14496-12 §8; ISO/IEC 14496-15 §5.3 (avcC); QuickTime File Format.
struct FilmFile {
    let film: Film
    /// Whether the file is a MOV.
    var isQuickTime = false
    /// The recording time, in seconds since 1970.
    let taken: Int

    private static let secondsFrom1904 = 2_082_844_800

    /// Returns the contents of the file.
    func bytes() -> [UInt8] {
        let frames = (0..<film.count).map { number -> [UInt8] in
            let frame = film.frame(number)
            return number32(frame.count) + frame
        }
        let type = Self.box("ftyp", Array((isQuickTime ? "qt  \0\0\0\0qt  " : "isom\0\0\0\0isommp41").utf8))
        let content = Self.box("mdat", frames.flatMap { $0 })
        return type + content + movie(frames.map(\.count), start: type.count + 8)
    }

    /// The duration in milliseconds.
    private var duration: Int { film.count * 1_000 / Film.rate }
    private var times: [UInt8] { number32(taken + Self.secondsFrom1904) + number32(taken + Self.secondsFrom1904) }
    private static let matrix = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].flatMap(number32)

    private func movie(_ sizes: [Int], start: Int) -> [UInt8] {
        let header =
            times + number32(1_000) + number32(duration) + number32(0x1_0000) + [1, 0] + zeros(10)
            + Self.matrix + zeros(24) + number32(2)
        return Self.box("moov", Self.box("mvhd", zeros(4) + header) + track(sizes, start))
    }

    private func track(_ sizes: [Int], _ start: Int) -> [UInt8] {
        let header =
            times + number32(1) + zeros(4) + number32(duration) + zeros(16) + Self.matrix
            + number32(film.width << 16) + number32(film.height << 16)
        let media =
            Self.box("mdhd", zeros(4) + times + number32(1_000) + number32(duration) + [0x55, 0xC4, 0, 0])
            + Self.box(
                "hdlr",
                zeros(4) + Array((isQuickTime ? "mhlr" : "\0\0\0\0").utf8) + Array("vide".utf8) + zeros(12)
                    + (isQuickTime ? [4] + Array("Film".utf8) : Array("Film\0".utf8)))
            + Self.box("minf", Self.box("vmhd", [0, 0, 0, 1] + zeros(8)) + reference + table(sizes, start))
        return Self.box("trak", Self.box("tkhd", [0, 0, 0, 3] + header) + Self.box("mdia", media))
    }

    private var reference: [UInt8] {
        let here = Self.box(isQuickTime ? "alis" : "url ", [0, 0, 0, 1])
        return Self.box("dinf", Self.box("dref", zeros(4) + number32(1) + here))
    }

    private func table(_ sizes: [Int], _ start: Int) -> [UInt8] {
        Self.box(
            "stbl",
            Self.box("stsd", zeros(4) + number32(1) + description)
                + Self.box("stts", zeros(4) + number32(1) + number32(sizes.count) + number32(1_000 / Film.rate))
                + Self.box("stsc", zeros(4) + number32(1) + number32(1) + number32(sizes.count) + number32(1))
                + Self.box("stsz", zeros(8) + number32(sizes.count) + sizes.flatMap(number32))
                + Self.box("stco", zeros(4) + number32(1) + number32(start)))
    }

    private var description: [UInt8] {
        let (sequence, picture) = (film.sequence, film.picture)
        let configuration: [UInt8] =
            [1] + sequence[1..<4] + [0xFF, 0xE1, UInt8(sequence.count >> 8), UInt8(sequence.count & 0xFF)] + sequence
            + [1, UInt8(picture.count >> 8), UInt8(picture.count & 0xFF)] + picture
        var entry = zeros(6) + [0, 1] + zeros(16)
        entry.append(film.width, bytes: 2)
        entry.append(film.height, bytes: 2)
        entry += number32(0x48_0000) + number32(0x48_0000) + zeros(4) + [0, 1] + zeros(32) + [0, 24, 0xFF, 0xFF]
        return Self.box("avc1", entry + Self.box("avcC", configuration))
    }

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        number32(content.count + 8) + Array(name.utf8) + content
    }
}

private func number32(_ value: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(value, bytes: 4)
    return bytes
}

private func zeros(_ count: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: count)
}
