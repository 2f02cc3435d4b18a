import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Range and conditional requests", .blocking, .timeLimit(.minutes(20)))
struct ConditionTests {
    private static let size = 1_000

    @Test(
        "one range gets 206 with Content-Range; several or unknown ones are ignored; an unsatisfiable one gets 416",
        arguments: [
            ("bytes=0-0", 206, 0..<1), ("bytes=0-499", 206, 0..<500), ("bytes=500-999", 206, 500..<1_000),
            ("bytes=500-", 206, 500..<1_000), ("bytes=-1", 206, 999..<1_000), ("bytes=-500", 206, 500..<1_000),
            ("bytes=-5000", 206, 0..<1_000), ("bytes=900-5000", 206, 900..<1_000),
            ("Bytes=1-2", 206, 1..<3), ("bytes= 1-2 ,", 206, 1..<3), ("bytes=,1-2", 206, 1..<3),
            ("bytes=0-99999999999999999999999", 206, 0..<1_000),
            ("bytes=0-1,5-6", 200, 0..<1_000), ("bytes=2-1", 200, 0..<1_000), ("bytes=", 200, 0..<1_000),
            ("bytes=-", 200, 0..<1_000), ("bytes=a-b", 200, 0..<1_000), ("bytes=1-2x", 200, 0..<1_000),
            ("bytes 1-2", 200, 0..<1_000), ("items=1-2", 200, 0..<1_000), ("bytes=+1-2", 200, 0..<1_000),
            ("bytes=0x1-2", 200, 0..<1_000), ("bytes=1 -2", 200, 0..<1_000), ("bytes=--1", 200, 0..<1_000),
            ("bytes=1000-", 416, 0..<0), ("bytes=1000-2000", 416, 0..<0), ("bytes=-0", 416, 0..<0),
            ("bytes=99999999999999999999999-", 416, 0..<0),
        ])
    func ranges(_ range: String, _ status: Int, _ part: Range<Int>) async throws {
        let fixture = try await FileFixture()
        let bytes = try fixture.write(Self.size, to: "a.jpg")
        let response = try fixture.get("/files/a.jpg", ["Range: \(range)"])
        #expect(response.status == status)
        #expect(response.body == Array(bytes[part]))
        #expect(response["Accept-Ranges"] == "bytes")
        switch status {
        case 206: #expect(response["Content-Range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/1000")
        case 416: #expect(response["Content-Range"] == "bytes */1000")
        default: #expect(response["Content-Range"] == nil)
        }
        #expect(response["Content-Type"] == (status == 416 ? nil : "image/jpeg"))
        await fixture.stop()
    }

    @Test("two Range fields, and one with HEAD, are ignored; a suffix range of an empty file gets the whole file")
    func ignoredRanges() async throws {
        let fixture = try await FileFixture()
        try fixture.write(Self.size, to: "a.jpg")
        try fixture.write(0, to: "empty")
        #expect(try fixture.get("/files/a.jpg", ["Range: bytes=0-1", "Range: bytes=0-1"]).status == 200)
        let head = try fixture.get("/files/a.jpg", method: "HEAD", ["Range: bytes=0-1"])
        #expect((head.status, head.body) == (200, []))
        #expect(head["Content-Length"] == "1000")
        #expect(try fixture.get("/files/empty", ["Range: bytes=-5"]).status == 200)
        #expect(try fixture.get("/files/empty", ["Range: bytes=0-"]).status == 416)
        #expect(try fixture.get("/files/empty")["Content-Length"] == "0")
        await fixture.stop()
    }

    /// `TAG`, `DATE`, `BEFORE` and `AFTER` stand for the file's own.
    @Test(
        "conditions are evaluated in the order of the RFC",
        arguments: [
            (["If-None-Match: TAG"], 304), (["If-None-Match: W/TAG"], 304), (["If-None-Match: *"], 304),
            (["If-None-Match: \"a\", TAG"], 304), (["If-None-Match: \"a\"", "If-None-Match: TAG"], 304),
            (["If-None-Match: \"a\""], 200), (["If-None-Match: nonsense"], 200),
            (["If-None-Match: \"a\"", "If-Modified-Since: DATE"], 200),
            (["If-Modified-Since: DATE"], 304), (["If-Modified-Since: AFTER"], 304),
            (["If-Modified-Since: BEFORE"], 200), (["If-Modified-Since: yesterday"], 200),
            (["If-Modified-Since: DATE", "If-Modified-Since: DATE"], 200),
            (["If-Match: TAG"], 200), (["If-Match: *"], 200), (["If-Match: \"a\", TAG"], 200),
            (["If-Match: W/TAG"], 412), (["If-Match: \"a\""], 412), (["If-Match: nonsense"], 412),
            (["If-Match: TAG", "If-None-Match: TAG"], 304), (["If-Match: \"a\"", "If-None-Match: TAG"], 412),
            (["If-Unmodified-Since: DATE"], 200), (["If-Unmodified-Since: BEFORE"], 412),
            (["If-Unmodified-Since: nonsense"], 200), (["If-Match: TAG", "If-Unmodified-Since: BEFORE"], 200),
            (["If-None-Match: TAG", "Range: bytes=0-1"], 304), (["If-Match: \"a\"", "Range: bytes=0-1"], 412),
            (["If-None-Match: \"a\"", "Range: bytes=0-1"], 206),
            (["Range: bytes=0-1", "If-Range: TAG"], 206), (["Range: bytes=0-1", "If-Range: W/TAG"], 200),
            (["Range: bytes=0-1", "If-Range: \"a\""], 200), (["Range: bytes=0-1", "If-Range: DATE"], 206),
            (["Range: bytes=0-1", "If-Range: BEFORE"], 200), (["Range: bytes=0-1", "If-Range: AFTER"], 200),
            (["Range: bytes=0-1", "If-Range: nonsense"], 200), (["Range: bytes=0-1", "If-Range: TAG, TAG"], 200),
            (["Range: bytes=5000-", "If-Range: TAG"], 416), (["Range: bytes=5000-", "If-Range: \"a\""], 200),
            (["If-Range: \"a\""], 200),
        ])
    func conditions(_ fields: [String], _ status: Int) async throws {
        let fixture = try await FileFixture()
        let bytes = try fixture.write(Self.size, to: "a.jpg")
        let file = try ServedFile.open("a.jpg", beneath: fixture.folder.path)
        let seconds = Int(file.modified.components.seconds)
        let response = try fixture.get(
            "/files/a.jpg",
            fields.map {
                $0.replacing("TAG", with: file.entityTag).replacing("DATE", with: HTTPDate(seconds: seconds).text)
                    .replacing("BEFORE", with: HTTPDate(seconds: seconds - 1).text)
                    .replacing("AFTER", with: HTTPDate(seconds: seconds + 1).text)
            })
        #expect(response.status == status)
        let bodies: [Int: [UInt8]] = [200: bytes, 206: Array(bytes[..<2])]
        #expect(response.body == bodies[status] ?? [])
        #expect(response["ETag"] == ([412, 416].contains(status) ? nil : file.entityTag))
        if status == 304 {
            #expect(response["Content-Length"] == "1000" && response["Content-Disposition"] == nil)
            #expect(response["Last-Modified"] != nil)
        }
        await fixture.stop()
    }

    @Test(
        "the entity tag changes with the content, in place or by another file, even with the same size and time"
    )
    func tags() throws {
        let folder = try TemporaryDirectory()
        func tag() throws -> String { try ServedFile.open("a", beneath: folder.path).entityTag }
        func setTime(_ nanoseconds: Int) {
            let time = timespec(tv_sec: 1_700_000_000, tv_nsec: nanoseconds)
            _ = utimensat(AT_FDCWD, folder.file("a"), [time, time], 0)
        }
        try folder.write("one", to: "a")
        setTime(5)
        let first = try tag()
        #expect(!first.hasPrefix("W/") && first.hasPrefix("\"") && first.hasSuffix("\""))
        #expect(try tag() == first)
        setTime(6)
        #expect(try tag() != first)
        setTime(5)
        #expect(try tag() == first)
        rename(folder.file("a"), folder.file("b"))
        try folder.write("two", to: "a")
        setTime(5)
        #expect(try tag() != first)
        try folder.write("three", to: "a")
        setTime(5)
        #expect(try tag() != first)
    }

    @Test("all three date formats are parsed, and no others")
    func dates() {
        let now = 1_700_000_000
        let date = HTTPDate(seconds: 784_111_777)
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] {
            #expect(HTTPDate(text, now: now) == date, "\(text)")
        }
        #expect(date.text == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate("Mon, 29 Feb 2016 23:59:60 GMT", now: now)?.seconds == 1_456_790_399)
        #expect(HTTPDate("Fri Nov 16 08:49:37 2040", now: now)?.text == "Fri, 16 Nov 2040 08:49:37 GMT")
        #expect(HTTPDate("Saturday, 06-Nov-60 08:49:37 GMT", now: now)?.text == "Sat, 06 Nov 2060 08:49:37 GMT")
        #expect(HTTPDate("Monday, 06-Nov-90 08:49:37 GMT", now: now)?.text == "Tue, 06 Nov 1990 08:49:37 GMT")
        for text in [
            "", "Sun", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Mon, 29 Feb 2100 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
            "784111777",
            "Sun Nov 6  08:49:37 1994", "Sonntag, 06-Nov-94 08:49:37 GMT",
        ] {
            #expect(HTTPDate(text, now: now) == nil, "\(text)")
        }
    }
}
