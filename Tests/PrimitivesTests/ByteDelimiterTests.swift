import Primitives
import TestSupport
import Testing

/// The operations that find delimiters byte by byte.
@Suite struct ByteDelimiterTests {
    /// Marks that form one character with an ASCII character after them, or before them.
    private static let marks = [""] + JoiningMarks.all
    private static let delimiters: [Unicode.Scalar] = [",", ";", " ", "/", ".", "@", "=", "&", ":", "\n"]

    private static func bytes(_ parts: [Substring]) -> [[UInt8]] { parts.map { Array($0.utf8) } }

    @Test("A delimiter separates beside every mark", arguments: marks, delimiters)
    func splitting(mark: String, delimiter: Unicode.Scalar) throws {
        let text = "a\(mark)\(delimiter)\(mark)b\(delimiter)\(delimiter)\(mark)"
        let (first, second) = (Array("a\(mark)".utf8), Array("\(mark)b".utf8))
        let last = Array(mark.utf8)
        #expect(
            Self.bytes(text.split(atByte: delimiter, omittingEmptySubsequences: false)) == [first, second, [], last])
        #expect(Self.bytes(text.split(atByte: delimiter)) == [first, second, last].filter { !$0.isEmpty })
        #expect(Self.bytes(text.split(atByte: delimiter, maxSplits: 1)).first == first)
        #expect(text.split(atByte: delimiter, maxSplits: 1).count == 2)

        let parts = try #require(text.split(atLastByte: delimiter))
        #expect(Array(parts.tail.utf8) == last)
        #expect(Array(parts.head.utf8) == Array("a\(mark)\(delimiter)\(mark)b\(delimiter)".utf8))
        #expect("a\(mark)".split(atLastByte: delimiter) == nil)
    }

    @Test("A text ends before the first of some delimiters", arguments: marks)
    func beginning(mark: String) {
        for text in ["a\(mark)?\(mark)b#", "a\(mark)#\(mark)b?", "a\(mark)"] {
            #expect(Array(text.prefix(beforeBytes: "?#").utf8) == Array("a\(mark)".utf8))
            #expect(Array("x/\(text)".dropFirst(2).prefix(beforeBytes: "?#").utf8) == Array("a\(mark)".utf8))
        }
        #expect("?\(mark)"[...].prefix(beforeBytes: "?").isEmpty)
    }

    @Test("Blanks at the ends are removed beside every mark", arguments: marks)
    func blanks(mark: String) {
        #expect(Array(" \t\(mark)a\(mark) \t"[...].trimmingBlanks.utf8) == Array("\(mark)a\(mark)".utf8))
        #expect(Array("\(mark)a b\(mark)"[...].trimmingBlanks.utf8) == Array("\(mark)a b\(mark)".utf8))
        #expect(" \t "[...].trimmingBlanks.isEmpty)
    }

    @Test("An escape is added beside every mark", arguments: marks)
    func replacing(mark: String) {
        let text = "\(mark)'\(mark)a''\(mark)"
        #expect(
            Array(text.replacingBytes(of: "'", with: "'\\''").utf8)
                == Array("\(mark)'\\''\(mark)a'\\'''\\''\(mark)".utf8))
        #expect(Array("ab\(mark)".replacingBytes(of: "ab", with: "").utf8) == Array(mark.utf8))
    }
}
