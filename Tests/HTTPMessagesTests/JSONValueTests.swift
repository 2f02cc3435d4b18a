import FoundationEssentials
import TestSupport
import Testing

@testable import HTTPMessages

@Suite struct JSONValueTests {
    @Test func `a text is parsed as a value and written without white space`() throws {
        let value = try JSONValue(parsing: Array(#" {"a": [1, -2.5, true, null], "b": {"c": "x/y\n"} } "#.utf8))
        #expect(value["a"]?.array == [1, .number(-2.5), true, nil])
        #expect(value["b"]?["c"]?.string == "x/y\n")
        let written: JSONValue = ["a": [1, .number(-2.5), true, nil], "b": ["c": "x/y\n\u{1}\"\\ä"]]
        #expect(
            String(decoding: written.encoded(), as: UTF8.self)
                == #"{"a":[1,-2.5,true,null],"b":{"c":"x/y\n\u0001\"\\ä"}}"#)
    }

    @Test func `numbers and the order of members round-trip`() throws {
        let text = #"{"id":9007199254740993,"x":12345678901234567890,"d":0.1,"e":1.10,"f":-0,"g":1E+400,"a":1}"#
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(String(decoding: value.encoded(), as: UTF8.self) == text)
        #expect(value["id"]?.integer == 9_007_199_254_740_993)
        #expect(value["x"]?.integer == nil && value["x"]?.number == 1.2345678901234567e19)
        #expect(value["e"]?.number == 1.1 && value["g"]?.number == nil && value["f"]?.integer == 0)
    }

    @Test(
        arguments: [
            ("1.50e1", Int128(15)), ("100E-2", 1), ("-0.0e9", 0), ("0e99999999999999999999", 0),
            ("1e19", 10_000_000_000_000_000_000),
            ("12345678901234567890.0", 12_345_678_901_234_567_890),
            ("-9223372036854775808.0", -9_223_372_036_854_775_808),
            ("1e-400", nil), ("12345678901234567890.5", nil), ("1e400", nil), ("1e99999999999999999999", nil),
            ("1.5", nil),
            ("1.55e-9223372036854775808", nil), ("155e-9223372036854775808", nil), ("1e9223372036854775807", nil),
            ("0.10", nil), ("15e-1", nil),
        ] as [(String, Int128?)])
    func `a number is an integer if its text is one`(text: String, whole: Int128?) throws {
        guard case .number(let number) = try JSONValue(parsing: Array(text.utf8)) else {
            Issue.record("\(text)")
            return
        }
        #expect(number.integer(Int128.self) == whole)
        #expect(number.integer(Int64.self) == whole.flatMap { Int64(exactly: $0) })
    }

    @Test func `a value is encoded without loss or not at all`() throws {
        for text in ["[18446744073709551615,-9223372036854775808,1.5,0.1]", "[9007199254740993]"] {
            let value = try JSONValue(parsing: Array(text.utf8))
            #expect(String(decoding: JSON.encode(value), as: UTF8.self) == text)
            #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == text)
        }
        for text in ["[1e400]", "[18446744073709551616]", "[-9223372036854775809]"] {
            let value = try JSONValue(parsing: Array(text.utf8))
            #expect(throws: EncodingError.self, "\(text)") { try JSONEncoder().encode(value) }
        }
    }

    @Test func `escapes are decoded`() throws {
        let value = try JSONValue(parsing: Array(#""\"\\\/\b\f\n\r\t\u0041\u00e4\ud83d\ude00""#.utf8))
        #expect(value.string == "\"\\/\u{8}\u{C}\n\r\tAä😀")
    }

    @Test(arguments: [
        "", " ", "{", "nul", "nulll", "\"a", "{\"a\" 1}", "1 2", "\u{FEFF}1", "[1,]", "{\"a\":1,}", "{,}", "[,]", "01",
        "-", "1.", ".5", "1e", "+1", "NaN", "Infinity", "'a'", "{a:1}", "\"\n\"", "\"\\x41\"", "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"", "\"\\udc00\"", "[1}", "{\"a\":1]", "// no", "tru", "[1 2]",
    ])
    func `invalid JSON is refused without quoting it`(text: String) {
        let error = #expect(throws: MessageError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error == MessageError(.malformed, "The body is not JSON."))
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            #expect(throws: MessageError.self) { try JSONValue(parsing: bytes) }
        }
    }

    @Test(arguments: [2, 20])
    func `two members with the same name are refused, but not if their bytes differ`(count: Int) {
        let many = (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",")
        let error = #expect(throws: MessageError.self) { try JSONValue(parsing: Array("{\(many),\"m1\":1}".utf8)) }
        #expect(error?.message == "A JSON object has two members with the same name.")
        let spellings = Array("{\(many),\"\u{e9}\":1,\"e\u{301}\":2}".utf8)
        let value = try? JSONValue(parsing: spellings)
        #expect(value?["\u{e9}"] == 1 && value?["e\u{301}"] == 2)
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")]) func `nesting is limited to 32 levels`(
        open: String, close: String
    ) throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        _ = try JSONValue(parsing: nested(32))
        for depth in [33, 100, 500, 512, 513, 100_000] {
            let error = #expect(throws: MessageError.self) { try JSONValue(parsing: nested(depth)) }
            #expect(error == MessageError(.tooLarge, "The JSON is nested deeper than 32 levels."))
        }
    }

    @Test func `too many values, a number that is too long and runs of combining characters are refused`() {
        let limit = JSONParser.maximumValues
        let zeros = Array("[\(String(repeating: "0,", count: limit))0]".utf8)
        #expect(throws: MessageError(.tooLarge, "The JSON has more than 1000000 values.")) {
            try JSONValue(parsing: zeros)
        }
        #expect(throws: MessageError(.tooLarge, "A JSON number has more than 512 characters.")) {
            try JSONValue(parsing: [UInt8](repeating: UInt8(ascii: "1"), count: 513))
        }
        let marks = String(repeating: "\u{301}\u{316}", count: 16)
        for text in ["\"a\(marks)\"", "{\"a\(marks)\":1}"] {
            #expect(throws: MessageError.self) { try JSONValue(parsing: Array(text.utf8), repairsText: false) }
        }
    }

    @Test(arguments: ["\u{301}", "\\u0301"]) func `a run of combining characters is divided in a response`(
        mark: String
    ) throws {
        func parsed(_ count: Int) throws -> [Unicode.Scalar]? {
            let marks = String(repeating: mark, count: count)
            let value = try JSONValue(parsing: Array(#"[{"name":"e\#(marks)!"}]"#.utf8))
            return value.array?.first?["name"]?.string.map { Array($0.unicodeScalars) }
        }
        let marks = [Unicode.Scalar](repeating: "\u{301}", count: 30)
        #expect(try parsed(30) == ["e"] + marks + ["!"])
        #expect(try parsed(40) == ["e"] + marks + ["\u{34F}"] + marks[..<10] + ["!"])
        #expect(try parsed(60) == ["e"] + marks + ["\u{34F}"] + marks + ["!"])
        #expect(try parsed(61) == ["e"] + marks + ["\u{34F}"] + marks + ["\u{34F}", "\u{301}", "!"])
    }

    @Test func `a truncated text, or one with a flipped bit, is refused or round-trips`() throws {
        let text = Array(#"{"access_token":"abc\u00e4","n":[1.5e3,{"x":null}]}"#.utf8)
        for length in text.indices {
            #expect(throws: MessageError.self) { try JSONValue(parsing: Array(text.prefix(length))) }
        }
        for index in text.indices {
            for bit in 0..<8 {
                var bytes = text
                bytes[index] ^= 1 << bit
                guard let value = try? JSONValue(parsing: bytes) else { continue }
                #expect(try JSONValue(parsing: value.encoded()) == value)
            }
        }
    }
}

/// The worst texts of 16 KiB and of 512 KiB. Parsing takes linear time, so 32 small texts take about the processor time of one
/// large text. A quadratic parser would take 32 times as long for the large one.
@Suite struct JSONCostTests {
    static let texts: [(String, @Sendable (Int) -> String)] = [
        (
            "deep",
            { "{\"a\":" + String(repeating: "[", count: 32) + zeros($0) + String(repeating: "]", count: 32) + "}" }
        ),
        ("wide", { "[" + zeros($0) + "]" }),
        ("many members", { size in "{" + (0..<size / 12).map { "\"m\($0)\":0" }.joined(separator: ",") + "}" }),
        ("many duplicates", { "{" + String(repeating: "\"a\":0,", count: $0 / 6) + "\"a\":0}" }),
        ("long string", { "\"" + String(repeating: "x", count: $0) + "\"" }),
        ("escapes", { "\"" + String(repeating: "\\u0301", count: $0 / 6) + "\"" }),
        ("combining characters", { "\"a" + String(repeating: "\u{301}\u{316}", count: $0 / 4) + "\"" }),
        ("long number", { String(repeating: "9", count: $0) }),
        ("long exponents", { "[" + String(repeating: "1e999999999999,", count: $0 / 15) + "1]" }),
        ("unfinished arrays", { String(repeating: "[", count: $0) }),
        ("unfinished objects", { String(repeating: "{\"a\":", count: $0 / 5) }),
    ]

    static func zeros(_ size: Int) -> String { String(repeating: "0,", count: size / 2) + "0" }

    @Test(arguments: texts.map(\.0), [true, false])
    func `the most expensive text of each kind is parsed in linear time`(name: String, repairsText: Bool) throws {
        let text = try #require(Self.texts.first { $0.0 == name }).1
        let (small, large) = (Array(text(16_384).utf8), Array(text(1 << 19).utf8))
        func parse(_ bytes: [UInt8]) {
            let value = try? JSONValue(parsing: bytes, repairsText: repairsText)
            // The comparison of a repaired text must be cheap too.
            if let text = value?.string { _ = text == text + "x" }
        }
        let short = (0..<32).map { _ in ProcessorTime.of { parse(small) } }.reduce(.zero, +)
        let long = ProcessorTime.of { parse(large) }
        #expect(
            long < short * 6 + .milliseconds(200), "\(name): \(short) for 32 texts, \(long) for one of their length")
    }

    @Test func `a typed message is decoded in linear time from an object with many members`() throws {
        struct Message: Decodable { var names: [String: Int] }
        func text(_ count: Int) -> [UInt8] {
            Array(("{\"names\":{" + (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}}").utf8)
        }
        let (small, large) = (text(1_000), text(32_000))
        let short = ProcessorTime.of { for _ in 0..<32 { _ = try? JSON.decode(Message.self, from: small) } }
        let long = ProcessorTime.of { _ = try? JSON.decode(Message.self, from: large) }
        #expect(try JSON.decode(Message.self, from: large).names.count == 32_000)
        #expect(long < short * 6 + .milliseconds(200), "\(short) for 32 small objects, \(long) for one of their length")
    }
}
