import Testing

@testable import PictureLibrary

/// What cannot be seen of small archives; real programs read the real ones in ``ZIPArchiveTests``.
@Suite("ZIP records")
struct ZIPRecordTests {
    private static func record(_ size: Int, at offset: Int = 0) -> ZIPRecord {
        ZIPRecord(name: Array("a".utf8), size: size, modified: .seconds(1_700_000_000), offset: offset)
    }

    @Test("sizes from 4 GiB less one byte use ZIP64 in the header, the descriptor and the directory")
    func largeSizes() {
        let (small, large) = (Self.record(0xFFFF_FFFE), Self.record(0xFFFF_FFFF))
        #expect(small.descriptor(checksum: 1).count == 16)
        #expect(large.descriptor(checksum: 1).count == 24)
        #expect(large.localHeader.count == small.localHeader.count + 20)
        #expect(large.row(checksum: 1).count == small.row(checksum: 1).count + 20)
        #expect(small.localHeader[4] == 20 && large.localHeader[4] == 45)
    }

    @Test("offsets from 4 GiB less one byte use ZIP64 in the directory only")
    func largeOffsets() {
        let (near, far) = (Self.record(5, at: 0xFFFF_FFFE), Self.record(5, at: 0xFFFF_FFFF))
        #expect(far.row(checksum: 1).count == near.row(checksum: 1).count + 12)
        #expect(far.localHeader == near.localHeader)
        #expect(far.rowCount == far.row(checksum: 1).count)
    }

    @Test("the end of the directory uses ZIP64 for 65,535 files, and for a large directory offset")
    func endOfDirectory() {
        #expect(ZIPDirectory.end(count: 65_534, offset: 0xFFFF_FFFE, size: 0).count == 22)
        #expect(ZIPDirectory.end(count: 65_535, offset: 0, size: 0).count == 98)
        #expect(ZIPDirectory.end(count: 1, offset: 0xFFFF_FFFF, size: 0).count == 98)
        #expect(ZIPDirectory.end(count: 1, offset: 0, size: 0xFFFF_FFFF).count == 98)
    }

    @Test("DOS times have a resolution of two seconds and are clamped to their range")
    func times() {
        // 2023-11-14T22:13:20Z.
        let (date, time) = ZIPTime.fields(.seconds(1_700_000_000))
        #expect(date == 43 << 9 | 11 << 5 | 14)
        #expect(time == 22 << 11 | 13 << 5 | 10)
        #expect(ZIPTime.fields(.seconds(-1)) == (1 << 5 | 1, 0))
        #expect(ZIPTime.fields(.seconds(1 << 40)).date == 127 << 9 | 12 << 5 | 31)
    }
}
