import TestSupport
import Testing
import YAML

@Suite("YAML")
struct YAMLTests {
    private func parse(_ text: String) throws(YAMLError) -> YAMLNode {
        try YAML.parse(Array(text.utf8))
    }

    @Test("is parsed into a tree with line and column of every key and value")
    func tree() throws {
        let node = try parse("# c\nlisten:\n  - a:1\n  - \"true\"\nsessions: {lifetime: 7d, ütf: ~}\n")

        let entries = try #require(node.entries)
        #expect(entries.map(\.key) == ["listen", "sessions"])
        #expect(entries.map(\.mark) == [YAMLMark(line: 2, column: 1), YAMLMark(line: 5, column: 1)])
        #expect(
            node["listen"]?.items == [
                YAMLNode(.scalar("a:1", isPlain: true), at: YAMLMark(line: 3, column: 5)),
                YAMLNode(.scalar("true", isPlain: false), at: YAMLMark(line: 4, column: 5)),
            ])
        #expect(node["sessions"]?["lifetime"]?.text == "7d")
        #expect(node["sessions"]?.entries?.last?.mark == YAMLMark(line: 5, column: 26))
        #expect(node["sessions"]?["ütf"]?.isNull == true)
    }

    @Test("is null without a document", arguments: ["", "\n", "# only a comment\n", "---\n", "\u{FEFF}"])
    func empty(text: String) throws {
        #expect(try parse(text).isNull)
    }

    @Test("distinguishes quoted text from null", arguments: ["''", "\"null\"", "'~'"])
    func quoted(text: String) throws {
        #expect(try !parse(text).isNull)
    }

    @Test("follows aliases")
    func aliases() throws {
        let node = try parse("a: &x [1, {b: 2}]\nc: *x\n")
        #expect(node["c"]?.items?.last?["b"]?.text == "2")
        #expect(node["c"]?.mark == YAMLMark(line: 2, column: 4))
    }

    @Test(
        "is refused with line and column if it is invalid",
        arguments: [
            (
                "a: 1\nb: 2\na: 3\n", YAMLError.Code.duplicateKey, YAMLMark(line: 3, column: 1),
                "already exists in line 1"
            ),
            ("a: [1, 2\nb: 3\n", .syntax, YAMLMark(line: 2, column: 2), ""),
            ("a: *gone\n", .syntax, YAMLMark(line: 1, column: 4), "no anchor '&gone' before"),
            ("a: &x [*x]\n", .syntax, YAMLMark(line: 1, column: 8), "no anchor '&x' before"),
            ("a: 1\n---\nb: 2\n", .unsupported, YAMLMark(line: 2, column: 1), "one document"),
            ("%YAML 1.1\n---\nb: 2\n", .unsupported, YAMLMark(line: 1, column: 1), "directives"),
            ("a: !!int 1\n", .unsupported, YAMLMark(line: 1, column: 4), "tags are not supported"),
            ("a: !x {b: 1}\n", .unsupported, YAMLMark(line: 1, column: 4), "tags are not supported"),
            ("? [a]\n: 1\n", .unsupported, YAMLMark(line: 1, column: 3), "a key must be plain text"),
            ("a: &x b\n*x : 1\n", .unsupported, YAMLMark(line: 2, column: 1), "a key must be plain text"),
            ("a:\n\tb: 1\n", .syntax, YAMLMark(line: 2, column: 1), "cannot start any token"),
            ("a: b\né: \u{1}\n", .encoding, YAMLMark(line: 2, column: 4), "control characters"),
        ])
    func refused(text: String, code: YAMLError.Code, mark: YAMLMark, words: String) {
        let error = #expect(throws: YAMLError.self) { try YAML.parse(Array(text.utf8)) }
        #expect(error?.code == code)
        #expect(error?.mark == mark)
        #expect(words.isEmpty || error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test(
        "is refused if it is not UTF-8, also in UTF-16",
        arguments: [[0x61, 0xFF], [0xFF, 0xFE, 0x61, 0], [0xC3]] as [[UInt8]])
    func encoding(bytes: [UInt8]) {
        let error = #expect(throws: YAMLError.self) { try YAML.parse(bytes) }
        #expect(error?.code == .encoding)
    }

    @Test("is refused if aliases make it too large")
    func billionLaughs() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...12 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let error = #expect(throws: YAMLError.self) { _ = try parse(text) }
        #expect(error?.code == .tooLarge)
    }

    @Test("is refused if it is nested too deeply, also by aliases")
    func depth() {
        let open = String(repeating: "[", count: 5_000)
        var chain = "a0: &a0 [x]\n"
        for level in 1...80 { chain += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        for text in [open, chain] {
            let error = #expect(throws: YAMLError.self) { _ = try parse(text) }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test("is accepted with 64 levels, and refused with more than 1 MiB")
    func limits() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try parse(deep).items != nil)
        let error = #expect(throws: YAMLError.self) { try YAML.parse([UInt8](repeating: 35, count: (1 << 20) + 1)) }
        #expect(error?.code == .tooLarge)
    }

    @Test("is accepted or refused without a trap if it is truncated or any byte is changed", .timeLimit(.minutes(20)))
    func damaged() {
        let sample = Array(
            "a: &x [1, 'b', \"c\\n\\u00e9\"]\nk: |\n  text\n? y\n: *x\n# é\n{f: [g, {h: ~}]}: >-\n  z\n...\n".utf8)
        for end in 0...sample.count { _ = try? YAML.parse(Array(sample[..<end])) }
        for index in sample.indices {
            for mask: UInt8 in [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF] {
                var flipped = sample
                flipped[index] ^= mask
                _ = try? YAML.parse(flipped)
            }
        }
    }
}
