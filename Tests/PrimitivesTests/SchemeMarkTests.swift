import Primitives
import Testing

@Suite struct SchemeMarkTests {
    @Test(
        "The mark after a scheme is the first '://', compared by bytes",
        arguments: [
            ("https://a/b", "https", "a/b"), ("a:b://c", "a:b", "c"), ("a/b?c=https://d", "a/b?c=https", "d"),
            ("://", "", ""), ("a:://b", "a:", "b"), ("ü://\u{301}b", "ü", "\u{301}b"),
        ])
    func found(_ text: String, _ before: String, _ after: String) throws {
        let mark = try #require(text.schemeMark)
        #expect(Array(text.utf8[..<mark.lowerBound]) == Array(before.utf8))
        #expect(Array(text.utf8[mark.upperBound...]) == Array(after.utf8))
    }

    @Test("A text without '://' has no mark", arguments: ["", ":", "a:b", "a:/b", "a:", "//a", "a:/"])
    func missing(_ text: String) {
        #expect(text.schemeMark == nil)
        #expect(("https://" + text).dropFirst(8).schemeMark == nil)
    }
}
