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
            ("\u{200B} \t", nil), ("", nil),
        ])
    func displayName(_ text: String, _ name: String?) {
        #expect(text.displayName(limit: 8) == name)
    }
}
