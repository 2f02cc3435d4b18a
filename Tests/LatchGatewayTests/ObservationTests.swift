import FoundationEssentials
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import GatewayCore
@testable import GatewayDialects

@Suite(.timeLimit(.minutes(20)))
struct ObservationTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000.123)

    private func line(_ format: Log.Format, _ write: (Log) -> Void) -> String {
        let lines = Lines()
        write(Log(level: .debug, format: format, writer: lines.writer, now: { [now] in now }))
        return lines.text
    }

    @Test("a text line has time, level, message and values; special characters are quoted and escaped")
    func text() {
        let text = line(.text) {
            $0.info(
                "Listening.",
                ["address": "127.0.0.1:2283", "name": .text("a b\n\u{1B}[31m\u{9B}"), "count": 3, "none": nil])
        }
        #expect(
            text
                == #"2026-09-21T14:13:20.123Z info    Listening. address=127.0.0.1:2283 name="a b\n\u001b[31m\u009b" count=3"#
                + "\n")
    }

    @Test("a JSON line is one object, whatever the values contain")
    func json() throws {
        let text = line(.json) {
            $0.warning("Odd.", ["name": .text("\"\\\n\u{7F}é🙂"), "took": .duration(.microseconds(1_500)), "none": nil])
        }
        let object = try JSONValue(parsing: Array(text.utf8))
        #expect(object["time"]?.string == "2026-09-21T14:13:20.123Z")
        #expect(object["level"]?.string == "warning")
        #expect(object["message"]?.string == "Odd.")
        #expect(object["name"]?.string == "\"\\\n\u{7F}é🙂")
        #expect(object["took"]?.number == 1.5)
        #expect(object["none"] == nil)
        #expect(text.filter { $0 == "\n" }.count == 1)
    }

    @Test("a line below the log's level is not written, and its values are not evaluated")
    func level() {
        let lines = Lines()
        let log = Log(level: .warning, writer: lines.writer, now: { [now] in now })
        func values() -> KeyValuePairs<String, LogValue?> {
            Issue.record("asked for")
            return [:]
        }
        log.info("Not this.", values())
        log.error("This.")
        #expect(lines.text.contains("This.") && !lines.text.contains("Not this."))
    }

    @Test("if the log's reader is slow, lines are dropped without blocking, and their number is logged")
    func slowReader() {
        let written = Mutex<[UInt8]>([])
        let writer = LogWriter(capacity: 100) { bytes in written.withLock { $0 += bytes } }
        written.withLock { _ in
            for _ in 0..<1_000 { writer.write(Array("0123456789012345678\n".utf8)) }
        }
        writer.flush()
        writer.write(Array("after\n".utf8))
        writer.flush()
        let text = written.withLock { String(decoding: $0, as: UTF8.self) }
        #expect(writer.droppedLines > 900)
        #expect(text.contains("log lines were dropped here)\nafter\n"))
    }

    @Test("in a JSON log, the line about dropped lines is JSON too")
    func slowReaderOfJSON() throws {
        let written = Mutex<[UInt8]>([])
        let writer = LogWriter(capacity: 200) { bytes in written.withLock { $0 += bytes } }
        written.withLock { _ in
            for _ in 0..<1_000 { writer.write(Array("{\"a\":1}\n".utf8)) }
        }
        writer.flush()
        writer.write(Array("{\"a\":2}\n".utf8))
        writer.flush()
        let lines = try written.withLock { $0 }.split(separator: UInt8(ascii: "\n")).map {
            try JSONValue(parsing: Array($0))
        }
        #expect(lines.compactMap { $0["lines"]?.number }.reduce(0, +) == Double(writer.droppedLines))
    }

    @Test(
        "a timestamp is written in UTC",
        arguments: [
            (0.0, "1970-01-01T00:00:00.000Z"), (951_782_399.999, "2000-02-28T23:59:59.999Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"), (951_868_800, "2000-03-01T00:00:00.000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.000Z"), (1_790_000_000, "2026-09-21T14:13:20.000Z"),
            (253_402_300_799, "9999-12-31T23:59:59.000Z"), (1e18, "9999-12-31T23:59:59.999Z"),
            (-1e18, "0000-01-01T00:00:00.000Z"),
        ])
    func timestamp(seconds: Double, text: String) {
        #expect(Timestamp.text(Date(timeIntervalSince1970: seconds), fraction: true) == text)
    }

    @Test("the body of /me is valid JSON for any address")
    func meBody() throws {
        let base = Session.sample("q\"\\uote@example.org")
        let json = try JSONValue(parsing: OnyxMe.body(base))
        #expect(json["email"]?.string == base.person.email)
        #expect(json["id"]?.string == base.person.id.uuidString.lowercased())
        #expect(json["token_expires_at"]?.string == "2026-09-22T14:13:20Z")
    }

    @Test("a histogram's buckets include their upper bound")
    func histogram() {
        var histogram = Histogram()
        for value in [0.0005, 0.00051, 10, 11] { histogram.record(value) }
        #expect(histogram.buckets.first == 1)
        #expect(histogram.buckets[1] == 1)
        #expect(histogram.buckets[Histogram.bounds.count - 1] == 1)
        #expect(histogram.buckets.last == 1)
        #expect(histogram.count == 4)
    }
}
