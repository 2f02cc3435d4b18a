import Primitives
import Testing

@Suite struct DisplayTests {
    @Test(
        "text for a terminal contains no control or formatting characters",
        arguments: [
            ("photos", "photos"), ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("a\u{202E}b", "a\u{FFFD}b"),
            ("a\u{2028}b", "a\u{FFFD}b"), ("Zoë 🎈", "Zoë 🎈"),
        ])
    func printable(_ text: String, _ shown: String) {
        #expect(text.printable == shown)
    }

    @Test(
        "a stored name is trimmed, cleaned and short, or absent",
        arguments: [
            ("  Ada  ", "Ada"), ("Ada\u{202E}evil\u{7}", "Adaevil"), (String(repeating: "x", count: 100), "xxxxxxxx"),
            ("\u{200B} \t", nil), ("", nil), ("\u{3164}\u{115F}\u{1160}\u{FFA0}", nil), ("\u{2800}\u{2800}", nil),
            ("A\u{FE0F}d\u{E0101}a\u{3164}", "Ada"), ("A\u{34F}\u{180E}da", "Ada"), ("\u{301}", nil),
            ("\u{20DD} ", nil),
            ("e\u{301}", "e\u{301}"), ("❤", "❤"),
            ("A\u{2800}d\u{FFFC}a\u{16FE4}\u{1D159}", "Ada"), ("\u{13441}\u{13442}", nil), ("\u{E0041}\u{E000}", nil),
        ])
    func displayName(_ text: String, _ name: String?) {
        #expect(text.displayName(limit: 8) == name)
    }
}
