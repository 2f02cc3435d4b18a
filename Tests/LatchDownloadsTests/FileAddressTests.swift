import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// One spelling for what people type and paste.
///
/// Source: RFC 3986 §6.2.
@Suite("File URLs") struct FileAddressTests {
    @Test(
        "DL-3 scheme, host, port and escapes are normalized, and the account's path is removed",
        arguments: [
            ("HTTPS://Files.Example.ORG:443/a/b.pdf", "/a/b.pdf"), ("https://files.example.org./a/b.pdf", "/a/b.pdf"),
            ("https://FILES.example.org/%7Eada/%c3%bc?Key=%7E", "/~ada/%C3%BC?Key=%7E"),
            ("https://files.example.org:/a#b?c", "/a"), ("https://files.example.org", "/"),
            ("https://files.example.org?x=1", "/?x=1"), ("https://files.example.org/a%2", "/a%2"),
            ("https://files.example.org/%2e%2E/a", "/%2E%2E/a"),
            ("https://files.example.org/Über uns/a.pdf?q=ä b#c", "/%C3%9Cber%20uns/a.pdf?q=%C3%A4%20b"),
            ("https://files.example.org/%+1", "/%+1"),
        ])
    func spellings(_ text: String, _ path: String) throws {
        let server = try ServerAddress("https://files.example.org")
        let address = try FileAddress(text)
        #expect(FileAddress.isAddress(text) && address.request(to: server) == path)
    }

    @Test("DL-3 a URL with another server, port or path does not belong to the account")
    func otherServers() throws {
        let server = try ServerAddress("https://files.example.org/immich")
        #expect(try FileAddress("https://files.example.org/immich/a?b").request(to: server) == "/a?b")
        for other in [
            "http://files.example.org/immich/a", "https://files.example.org:8443/immich/a",
            "https://files.example.org/immichael/a", "https://files.example.org.evil.example/immich/a",
        ] {
            #expect(try FileAddress(other).request(to: server) == nil, "\(other)")
        }
        for path in ["/a/b", "5f3e0000-0000-4000-8000-000000000001", "/a?u=https://x/", "a:b"] {
            #expect(!FileAddress.isAddress(path), "\(path)")
        }
    }

    @Test("An invalid URL, or one with a user name or password, is refused without repeating it")
    func refused() {
        for wrong in [
            "https://ada:open-sesame-1@files.example.org/a", "https://open-sesame-1@files.example.org/a",
            "https://:open-sesame-1@/a",
            "https://a@b:open-sesame-1@files.example.org/a", "ftp://files.example.org/open-sesame-1",
            "https://:80/open-sesame-1",
            "https:/files.example.org/open-sesame-1",
        ] {
            let error = #expect(throws: LatchError.self) { _ = try FileAddress(wrong) }
            #expect(error?.code == .invalidAddress && error?.message.leaks("open-sesame-1") == false, "\(wrong)")
        }
    }
}
