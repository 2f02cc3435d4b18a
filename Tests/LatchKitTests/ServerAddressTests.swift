import LatchKit
import Testing

@Suite struct ServerAddressTests {
    @Test(
        "IM-3 IM-17 an address is normalized",
        arguments: [
            ("photos.example.org", "https://photos.example.org"),
            ("  photos.example.org \n", "https://photos.example.org"),
            ("https://photos.example.org/", "https://photos.example.org"),
            ("https://photos.example.org///", "https://photos.example.org"),
            ("http://photos.example.org", "http://photos.example.org"),
            ("HTTPS://Photos.Example.ORG", "https://photos.example.org"),
            ("photos.example.org/api", "https://photos.example.org"),
            ("photos.example.org/api/", "https://photos.example.org"),
            ("photos.example.org/api/api/", "https://photos.example.org"),
            ("photos.example.org/onyx/api/", "https://photos.example.org/onyx"),
            ("photos.example.org/Home/onyx", "https://photos.example.org/Home/onyx"),
            ("photos.example.org/my photos".replacing(" ", with: "%20"), "https://photos.example.org/my%20photos"),
            ("photos.example.org/fotoß", "https://photos.example.org/foto%C3%9F"),
            ("photos.example.org:443", "https://photos.example.org"),
            ("http://photos.example.org:80", "http://photos.example.org"),
            ("http://photos.example.org:443", "http://photos.example.org:443"),
            ("photos.example.org:2283/x", "https://photos.example.org:2283/x"),
            ("photos.example.org.", "https://photos.example.org"),
            ("localhost:3000", "https://localhost:3000"),
            ("my_nas:8080", "https://my_nas:8080"),
            ("192.168.1.5:2283", "https://192.168.1.5:2283"),
            ("[2001:DB8:0:0:0:0:0:1]:2283", "https://[2001:db8::1]:2283"),
            ("http://[::1]", "http://[::1]"),
            ("http://[::ffff:192.0.2.1]/", "http://[::ffff:c000:201]"),
            ("https://[1:0:0:2:0:0:0:3]", "https://[1:0:0:2::3]"),
            ("bücher.example", "https://xn--bcher-kva.example"),
            ("BÜCHER.example", "https://xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "https://xn--bcher-kva.example"),
            ("straße.example", "https://xn--strae-oqa.example"),
            ("例え。テスト", "https://xn--r8jz45g.xn--zckzah"),
            ("ｅｘａｍｐｌｅ.org", "https://example.org"),
            ("xn--bcher-kva.example", "https://xn--bcher-kva.example"),
            ("https://☃.example:8443/x", "https://xn--n3h.example:8443/x"), ("１２７.0。0.1", "https://127.0.0.1"),
        ])
    func canonical(typed: String, expected: String) throws {
        let address = try ServerAddress(typed)

        #expect(address.url == expected)
        #expect(try ServerAddress(address.url) == address)
    }

    @Test(
        "IM-17 an invalid server address is refused with a message",
        arguments: [
            ("", "empty"), ("   ", "empty"), ("ftp://example.org", "only http and https"),
            ("mailto:a@example.org", "only http and https"), ("javascript://x", "only http and https"),
            ("https://", "host is missing"), ("https:///path", "host is missing"), ("https:example.org", "slashes"),
            ("http:/example.org", "slashes"), ("htp:/example", "begins with 'htp:'"), ("htp://example", "'htp:'"),
            ("htps:example.org", "'htps:'"), ("https//example.org", "colon after 'https'"),
            ("https://ada:secret@example.org", "user name"),
            ("ada@example.org", "user name"), ("https://example.org?x=1", "query"), ("example.org#top", "query"),
            ("example.org:0", "port"), ("example.org:65536", "port"), ("example.org:12x", "port"),
            ("example.org:٣", "port"), ("exa mple.org", "space"), ("example.org/\u{7}", "control"),
            ("2001:db8::1", "brackets"), ("[fe80::1%25eth0]", "zone"), ("[fe80::1%eth0]", "zone"), ("[2001:db8", "]"),
            ("[1:2:3:4:5:6:7:8:9]", "IPv6"), ("[::1]x", "between"), ("256.1.1.1", "IPv4"), ("1.2.3", "IPv4"),
            ("0x7f.0.0.1.0x1", "IPv4"), ("01.2.3.4", "IPv4"), ("a..b", "empty part"), (".example.org", "empty part"),
            ("-a.example", "hyphen"), ("a-.example", "hyphen"), ("exa*mple.org", "character"),
            ("xn--99999999.example", "Punycode"), ("example.org/a/../b", "'..'"), ("example.org\\x", "backslash"),
            ("a%2eb.example", "%"), (String(repeating: "a", count: 64) + ".org", "63"),
            ("1א.example", "directions"), ("xn--u-ccb.example", "xn--"), ("２５６.1.1.1", "IPv4"),
        ])
    func refused(typed: String, word: String) throws {
        let error = try #require(throws: LatchError.self) { try ServerAddress(typed) }

        #expect(error.code == .invalidAddress)
        #expect(error.message.hasPrefix("Invalid server URL: "))
        #expect(error.message.contains(word), "\(error.message)")
        #expect(!error.message.contains("secret"))
    }

    @Test("IM-17 every prefix and every flipped bit of an address is refused or normalized to a stable form")
    func prefixesAndFlips() throws {
        for text in [
            "https://Bücher.example.org:8443/a%20b/api/", "http://[2001:db8::192.0.2.1]:80/x", "xn--bcher-kva.example",
        ] {
            let bytes = Array(text.utf8)
            for end in 0...bytes.count { try check(String(decoding: bytes[..<end], as: UTF8.self)) }
            for index in bytes.indices {
                for bit in 0..<8 {
                    var flipped = bytes
                    flipped[index] ^= 1 << bit
                    try check(String(decoding: flipped, as: UTF8.self))
                }
            }
        }
    }

    private func check(_ text: String) throws {
        guard let address = try? ServerAddress(text) else { return }
        #expect(try ServerAddress(address.url) == address)
        #expect(address.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test("TT-10 paths are appended without losing the prefix, and never leave the server")
    func paths() throws {
        let server = try ServerAddress("https://example.org/onyx/")

        #expect(try server.url(of: "/api/me?x=1") == "https://example.org/onyx/api/me?x=1")
        #expect(try server.url(of: "https://example.org/onyx/api/me") == "https://example.org/onyx/api/me")
        for path in [
            "https://evil.example/onyx/", "https://example.org.evil.example/onyx/", "https://example.org/other",
            "//evil.example/", "api/me", "/a/../../b", "/a/%2e%2E/b", "/a b", "/a\r\nX: y", "/a#b", "",
            "/\\evil.example",
        ] {
            let error = try #require(throws: LatchError.self, "\(path)") { try server.url(of: path) }
            #expect(error.code == .invalidRequest)
        }
    }

    @Test("loopback addresses are recognised")
    func loopback() throws {
        for text in ["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "x.localhost"] {
            #expect(try ServerAddress(text).isLoopback)
        }
        for text in ["127.example.org", "10.0.0.1", "[::2]"] {
            #expect(try !ServerAddress(text).isLoopback)
        }
    }
}
