import NormalizedText
import Testing

@Suite("Normalized text") struct NormalizedTextTests {
    @Test(
        "Each text has one spelling, by Annex 15",
        arguments: [
            ("plain", "plain"), ("", ""), ("ﬁle", "file"), ("Ａ．ｂ", "A.b"), ("e\u{301}", "é"), ("①", "1"),
            ("\u{1E9B}\u{323}", "\u{1E69}"), ("한글".decomposedForTests, "한글"), ("😀", "😀"),
        ])
    func composed(_ given: String, _ expected: String) throws {
        let composed = try #require(NormalizedText.compatibilityComposed(given))
        #expect(Array(composed.unicodeScalars) == Array(expected.unicodeScalars))
    }
}

extension String {
    /// Hangul by its letters, two or three for a syllable.
    fileprivate var decomposedForTests: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let index = scalar.value - 0xAC00
            let (lead, vowel, tail) = (index / 588, index % 588 / 28, index % 28)
            for value in [0x1100 + lead, 0x1161 + vowel] + (tail > 0 ? [0x11A7 + tail] : []) {
                scalars.append(Unicode.Scalar(value)!)
            }
        }
        return String(scalars)
    }
}
