import FoundationEssentials
import Testing

@testable import GatewayCore
@testable import PictureLibrary

@Suite("Metadata of photographs and films")
struct MediaFactsTests {
    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(value >> ($0 * 8) & 0xFF) }
    }

    private static func exif(orientation: Int) -> [UInt8] {
        let texts: [(Int, String)] = [(0x9003, "2024:07:01 21:14:03"), (0x9011, "+02:00")]
        var file = Array("MM".utf8) + number(42, 2) + number(8, 4)
        file += number(2, 2) + [0x01, 0x12, 0, 3] + number(1, 4) + number(orientation, 2) + [0, 0]
        file += [0x87, 0x69, 0, 4] + number(1, 4) + number(38, 4) + number(0, 4)
        file += number(2, 2)
        var offset = 38 + 2 + 24 + 4
        for (tag, text) in texts {
            file += number(tag, 2) + [0, 2] + number(text.utf8.count + 1, 4) + number(offset, 4)
            offset += text.utf8.count + 1
        }
        return file + number(0, 4) + texts.flatMap { Array($0.1.utf8) + [0] }
    }

    private static func jpeg(orientation: Int) -> [UInt8] {
        let exif = Array("Exif\0\0".utf8) + exif(orientation: orientation)
        return [0xFF, 0xD8, 0xFF, 0xE1] + number(exif.count + 2, 2) + exif
            + [0xFF, 0xC0, 0, 11, 8] + number(480, 2) + number(640, 2) + [1, 1, 0x11, 0, 0xFF, 0xDA]
    }

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count + 8, 4) + Array(name.utf8) + content
    }

    private static func facts(_ bytes: [UInt8]) -> MediaFacts { MediaFacts.read(MediaBytes(bytes)) }

    @Test("The displayed size and the capture time of a JPEG are read", arguments: [1, 6])
    func jpeg(orientation: Int) {
        let facts = Self.facts(Self.jpeg(orientation: orientation))

        #expect((facts.width, facts.height) == (orientation == 1 ? (640, 480) : (480, 640)))
        #expect(facts.taken?.instant == Timestamp.date("2024-07-01T19:14:03Z"))
        #expect(facts.taken?.local == Timestamp.date("2024-07-01T21:14:03Z"))
        #expect(facts.orientation == orientation)
    }

    @Test("The size of a PNG and a GIF is read")
    func pictures() {
        let png = PNGFile.signature + Self.number(13, 4) + Array("IHDR".utf8) + Self.number(12, 4) + Self.number(34, 4)
        #expect(Self.facts(png + [8, 2, 0, 0, 0, 0, 0, 0, 0]).width == 12)
        #expect(Self.facts(Array("GIF89a".utf8) + [5, 0, 7, 0, 0, 0]).height == 7)
    }

    @Test("The size, duration and capture time of a film are read, wherever its header is")
    func film() {
        let created = Self.number(2_082_844_800 + 1_720_000_000, 4)
        let movie = Self.box(
            "mvhd", Self.number(0, 4) + created + created + Self.number(600, 4) + Self.number(1_500, 4))
        let sizes = Self.number(1_920 << 16, 4) + Self.number(1_080 << 16, 4)
        let turned = [0, 1 << 16, 0, -(1 << 16), 0, 0, 0, 0, 1 << 30].flatMap { Self.number($0, 4) }
        let track = Self.box(
            "trak", Self.box("tkhd", [UInt8](repeating: 0, count: 40) + turned + sizes))
        let file = Self.box("ftyp", Array("qt  ".utf8)) + Self.box("mdat", [1, 2, 3]) + Self.box("moov", movie + track)
        let facts = Self.facts(file)

        #expect((facts.width, facts.height) == (1_080, 1_920))
        #expect(facts.duration == 2_500)
        #expect(facts.taken?.instant == Date(timeIntervalSince1970: 1_720_000_000))
    }

    @Test("The size of a HEIC's largest picture and its Exif data are read")
    func heic() {
        let exif = Self.number(0, 4) + Self.exif(orientation: 6)
        func meta(_ offset: Int) -> [UInt8] {
            let size = { (width: Int, height: Int) in
                Self.box("ispe", Self.number(0, 4) + Self.number(width, 4) + Self.number(height, 4))
            }
            let entry = Self.box("infe", [2, 0, 0, 0] + Self.number(7, 2) + Self.number(0, 2) + Array("Exif".utf8))
            let location =
                [1, 0, 0, 0, 0x44, 0] + Self.number(1, 2) + Self.number(7, 2) + Self.number(0, 4)
                + Self.number(1, 2) + Self.number(offset, 4) + Self.number(exif.count, 4)
            return Self.box(
                "meta",
                Self.number(0, 4) + Self.box("iinf", Self.number(0, 4) + Self.number(1, 2) + entry)
                    + Self.box("iloc", location)
                    + Self.box("iprp", Self.box("ipco", size(160, 120) + size(4_032, 3_024))))
        }
        let head = Self.box("ftyp", Array("heic".utf8))
        let offset = head.count + meta(0).count + 8
        let facts = Self.facts(head + meta(offset) + Self.box("mdat", exif))

        #expect((facts.width, facts.height) == (4_032, 3_024))
        #expect(facts.taken?.instant == Timestamp.date("2024-07-01T19:14:03Z"))
    }

    @Test("A truncated file, or one with a changed byte, yields less data and never traps")
    func broken() {
        let complete = Self.jpeg(orientation: 6)
        for count in 0..<complete.count { _ = Self.facts(Array(complete[..<count])) }
        for index in complete.indices {
            var changed = complete
            changed[index] ^= 0xFF
            _ = Self.facts(changed)
        }
    }

    @Test("The thumbnail of a truncated photograph, or one with a changed byte, is a part of it and never traps")
    func brokenThumbnail() {
        let complete = ThumbnailFixture.photograph(orientation: 6)
        for count in 0..<complete.count { _ = JPEGFile.thumbnail(MediaBytes(Array(complete[..<count]))) }
        for index in complete.indices {
            for change: UInt8 in [0xFF, 0x01, 0x80] {
                var changed = complete
                changed[index] ^= change
                let thumbnail = JPEGFile.thumbnail(MediaBytes(changed))
                #expect(thumbnail?.count ?? 0 <= complete.count)
            }
        }
    }

    @Test(
        "Each form of a timestamp is parsed",
        arguments: [
            ("2024-07-01", 1_719_792_000.0), ("2024-07-01T12:00:00Z", 1_719_835_200),
            ("2024-02-29T00:00:00", 1_709_164_800),
            ("2024-07-01T12:00:00.250Z", 1_719_835_200.25), ("2024-07-01T12:00:00+02:00", 1_719_828_000),
            ("1969-12-31T23:59:59Z", -1),
        ])
    func instants(text: String, seconds: Double) {
        #expect(Timestamp.date(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        "An invalid timestamp is refused",
        arguments: [
            "", "2024", "2024-13-01", "2024-07-01T", "2024-07-01T12:00Z", "2024-07-01T12:00:00+2",
            "2024-07-01T12:00:00.Z",
        ])
    func noInstants(text: String) {
        #expect(Timestamp.date(text) == nil)
    }
}
