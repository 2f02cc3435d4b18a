import HostNames
import Testing

@Suite("Host names") struct HostNamesTests {
    @Test(
        "IM-17 a name is converted to ASCII as in browsers, and converting it again does not change it",
        arguments: [
            // Mapping of UTS #46: case, width, compatibility and composition
            ("Photos.Example.ORG", "photos.example.org"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("ｅｘａｍｐｌｅ.org", "example.org"),
            ("ﬁ.example", "fi.example"), ("①.example", "1.example"), ("a\u{AD}b.example", "ab.example"),
            ("İ.example", "xn--i-9bb.example"), ("ΣΑΣ.example", "xn--mxa9ab.example"),
            // Deviation characters are kept, not mapped as in transitional processing
            ("straße.example", "xn--strae-oqa.example"), ("STRAẞE.example", "strasse.example"),
            ("ς.example", "xn--3xa.example"), ("نامه\u{200C}ای.example", "xn--mgba3gch31f060k.example"),
            ("क्\u{200D}ष.example", "xn--11b2ezcw70k.example"),
            // Dots
            ("例え。テスト", "xn--r8jz45g.xn--zckzah"), ("a．b｡c", "a.b.c"), ("ü.", "xn--tda"), ("ü。", "xn--tda"),
            ("a.b。", "a.b"),
            // Labels that are already encoded
            ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("XN--Bcher-KVA.example", "xn--bcher-kva.example"),
            ("xn--strae-oqa.ü", "xn--strae-oqa.xn--tda"),
            // ASCII is not restricted to what registries allow
            ("my_nas", "my_nas"), ("my_näs", "xn--my_ns-jra"), ("ab--c.ü", "ab--c.xn--tda"), ("0x7f.1", "0x7f.1"),
            // Writing directions
            ("א1.example", "xn--1-zhc.example"), ("אב.example", "xn--4dbc.example"),
            // Symbols, which IDNA 2008 disallows and UTS #46 does not
            ("☃.net", "xn--n3h.net"), ("xn--n3h.net", "xn--n3h.net"),
            ("I❤\u{FE0F}ü.straße", "xn--i-eha9060a.xn--strae-oqa"),
            ("💩.la", "xn--ls8h.la"), ("€uro.example", "xn--uro-j50a.example"), ("≠.example", "xn--1ch.example"),
        ])
    func ascii(name: String, expected: String) throws {
        #expect(try HostNames.ascii(name) == expected)
        #expect(try HostNames.ascii(expected) == expected)
    }

    @Test(
        "the samples of RFC 3492 §7.1 that are host names are converted in both directions",
        arguments: [
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"), ("他們爲什麽不說中文", "xn--ihqwctvzc91f659drss3x8bo0yb"),
            ("למההםפשוטלאמדבריםעברית", "xn--4dbcagdahymbxekheh6e0a7fei0b"),
            ("почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
            ("maji\u{3067}koi\u{3059}\u{308b}5\u{79d2}\u{524d}", "xn--majikoi5-783gue6qz075azm5e"),
        ])
    func samples(name: String, encoded: String) throws {
        #expect(try HostNames.ascii(name) == encoded)
        #expect(try HostNames.ascii(encoded) == encoded)
    }

    @Test(
        "IM-17 an invalid name is refused with the reason",
        arguments: [
            // Lengths
            (String(repeating: "a", count: 64) + ".ü", HostNameError.labelTooLong),
            (String(repeating: "\u{4E00}\u{4E8C}", count: 40), .labelTooLong),
            ("xn--" + String(repeating: "a", count: 70), .labelTooLong),
            (String(repeating: "abcdefgh.", count: 28) + "ü", .nameTooLong),
            ("", .emptyLabel), (".", .emptyLabel), ("a..ü", .emptyLabel), ("。ü", .emptyLabel), ("ü..", .emptyLabel),
            ("\u{AD}.example", .emptyLabel),
            // Bidi rule, RFC 5893 §2
            ("1א.example", .mixedDirections), ("aא.example", .mixedDirections), ("אa.example", .mixedDirections),
            ("xn--a-zhc.example", .mixedDirections), ("٣", .mixedDirections),
            // Combining marks and joiners
            ("\u{301}a.example", .leadingMark), ("xn--a-wbb.example", .leadingMark),
            ("a\u{200D}b.example", .disallowedCharacter), ("a\u{200C}b.example", .disallowedCharacter),
            ("xn--ab-m1t.example", .notNormalized),
            // Disallowed characters, also when a character maps to one of ASCII
            ("exa*mple.ü", .disallowedCharacter), ("a b", .disallowedCharacter), ("ü/b", .disallowedCharacter),
            ("ü:1", .disallowedCharacter), ("ü@b", .disallowedCharacter), ("℀.example", .disallowedCharacter),
            ("℀ü.example", .disallowedCharacter), ("⒈com", .disallowedCharacter), ("a\u{2024}b", .disallowedCharacter),
            ("\u{378}.example", .disallowedCharacter), ("\u{202E}a", .disallowedCharacter),
            ("a\0b", .disallowedCharacter),
            ("ü\0b", .disallowedCharacter), ("\u{FFFD}", .disallowedCharacter),
            // Hyphens
            ("-ü.example", .hyphenAtEdge), ("ü-.example", .hyphenAtEdge), ("-a", .hyphenAtEdge), ("☃-", .hyphenAtEdge),
            ("ab--ü.example", .twoHyphens), ("xn--ab---3ra.example", .twoHyphens),
            // Encoded labels that cannot be decoded, that are ASCII only, or that decode to another spelling of a name
            ("xn--99999999.example", .invalidPunycode), ("xn--.example", .invalidPunycode),
            ("xn--abc-.example", .invalidPunycode), ("xn--ü", .invalidPunycode), ("xn--u-ccb.example", .notNormalized),
            ("xn--wca.example", .notNormalized), ("xn--mi7c.example", .notNormalized),
            ("xn--r6j.example", .notNormalized),
            // Symbols with what the second conversion does not check
            ("faß☃.example", .disallowedCharacter), ("א☃.example", .disallowedCharacter),
            ("☃\u{200D}☃.example", .disallowedCharacter),
        ])
    func refused(name: String, reason: HostNameError) {
        #expect(throws: reason) { try HostNames.ascii(name) }
    }
}
