import Testing

@testable import LatchKit

@Suite struct PunycodeTests {
    @Test(
        "IM-17 the samples of RFC 3492 §7.1 hold in both directions",
        arguments: [
            // (A) Arabic, (B) Chinese simplified, (C) Chinese traditional, (E) Hebrew, (I) Russian, (L), (P), (S)
            ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
            ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
            ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
            ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
            ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
            ("maji\u{3067}koi\u{3059}\u{308b}5\u{79d2}\u{524d}", "majikoi5-783gue6qz075azm5e"),
            ("bücher", "bcher-kva"), ("ü", "tda"),
        ])
    func vectors(text: String, encoded: String) throws {
        #expect(Punycode.encode(text) == encoded)
        let scalars = try #require(Punycode.decode(encoded))
        #expect(String(String.UnicodeScalarView(scalars)) == text)
    }

    @Test("text that is no Punycode is refused, and large numbers do not trap")
    func refused() {
        for text in ["99999999", "a-!!", "zzzzzzzzzzzzzzzzzzzzzzzz", "ü", "-", "a-9999999999999999"] {
            _ = Punycode.decode(text)
        }
        #expect(Punycode.decode("99999999") == nil)
        #expect(Punycode.decode("a-!!") == nil)
    }
}
