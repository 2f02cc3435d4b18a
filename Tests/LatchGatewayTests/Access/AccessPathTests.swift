import TestSupport
import Testing

@testable import GatewayCore

@Suite("Paths in access rules")
struct AccessPathTests {
    @Test(
        "a path that two servers could read differently is invalid",
        arguments: [
            "", "health", "//", "//health", "/a//b", "/a//", "/.", "/./a", "/a/.", "/..", "/../a", "/a/../b", "/a/..",
            "/%2e%2e/a", "/a/%2E", "/a%2eb", "/a%2fb", "/a%2Fb", "/a%5cb", "/a%5Cb", "/a\\b", "/a;b", "/a;/b",
            "/a/..;/b",
            "/a%3bb", "/a%00", "/a%0a", "/a%1f", "/a%7f", "/a%", "/a%2", "/a%zz", "/a%252e", "/a%252fb", "/a%2525",
            "/a%c0%ae", "/a%c0%af", "/a%ff", "/ä", "/a b", "/a\tb", "/a\u{7f}", "/a\"b", "/a<b", "/a`b", "/a^b",
            "/a{b}", "/a/..%20", "/a/..%20/b", "/a/%20../b", "/.%20/a", "/a/%20/b", "/a/.%20.", "/...%20",
        ])
    func ambiguous(path: String) {
        #expect(AccessPath(path[...]) == nil)
    }

    @Test(
        "a path is decoded once and not changed otherwise",
        arguments: [
            ("/", "/"), ("/a", "/a"), ("/a/", "/a/"), ("/A/b", "/A/b"), ("/%61dmin", "/admin"), ("/a%20b", "/a b"),
            ("/%C3%A4", "/ä"), ("/a.%20/b.", "/a. /b."), ("/a+b", "/a+b"), ("/100%25", "/100%"), ("/...", "/..."),
            ("/.well-known/x", "/.well-known/x"),
            ("/a.b/.c", "/a.b/.c"), ("/a,b=c:d@e", "/a,b=c:d@e"), ("/(a)!*'$&", "/(a)!*'$&"),
        ])
    func decoded(path: String, text: String) {
        #expect(AccessPath(path[...])?.text == text)
    }

    @Test("a path with an escaped question mark or hash is ambiguous")
    func escapedDelimiters() {
        #expect(AccessPath("/a%3fb")?.isCertain == false)
        #expect(AccessPath("/a%23b")?.isCertain == false)
        #expect(AccessPath("/a%20b")?.isCertain == true)
        #expect(AccessPath("/admin/%23x/y")?.cut?.text == "/admin/")
        #expect(AccessPath("/a%20b%3f%23")?.cut?.text == "/a b")
        #expect(AccessPath("/%3f")?.cut?.text == "/")
        #expect(AccessPath("/a")?.cut == nil)
    }

    @Test(
        "a path with an escaped question mark or hash is ambiguous also beside a mark that joins it",
        arguments: JoiningMarks.all)
    func joinedDelimiters(mark: String) throws {
        let mark = mark.utf8.map { "%" + String($0, radix: 16) }.joined()
        for delimiter in ["%3f", "%23"] {
            for raw in ["/a\(delimiter)\(mark)/b", "/a\(mark)\(delimiter)/b"] {
                let path = try #require(AccessPath(raw[...]))
                #expect(!path.isCertain)
                #expect(path.cut?.text.utf8.contains(where: { "?#".utf8.contains($0) }) == false)
            }
        }
        #expect(AccessPath("/%20/\(mark)b"[...]) == nil)
        #expect(AccessPath("/%20%20/\(mark)"[...]) == nil)
        #expect(AccessPath("/a%20/\(mark)"[...])?.isCertain == true)
    }

    @Test(
        "a pattern matches whole components",
        arguments: [
            ("/health", "/health", true), ("/health", "/health/", true), ("/health", "/healthy", false),
            ("/health", "/health/x", false), ("/health/", "/health", true), ("/share/*", "/share", true),
            ("/share/*", "/share/", true), ("/share/*", "/share/a/b", true), ("/share/*", "/shared", false),
            ("/*", "/", true), ("/*", "/a", true), ("/", "/", true), ("/", "/a", false), ("/admin", "/%61dmin", true),
            ("/a b", "/a%20b", false), ("/a%20b", "/a%20b", true),
        ])
    func patterns(pattern: String, path: String, isCovered: Bool) throws {
        let path = try #require(AccessPath(path[...]))
        #expect((AccessPathPattern(pattern)?.covers(path) ?? false) == isCovered)
    }

    @Test(
        "a pattern that could be read differently is invalid",
        arguments: ["", "*", "health", "/a/../b", "/a//b", "/a*", "/*/b", "/a/**", "/a;b", "/a?b", "/a%2fb", "/a%3fb"])
    func brokenPatterns(pattern: String) {
        #expect(AccessPathPattern(pattern) == nil)
    }
}

@Suite("Hosts in access rules")
struct AccessHostTests {
    @Test(
        "a malformed host is invalid",
        arguments: [
            "", ".", "a.", ".a", "a..b", "-a", "a-", "a b", "a_b/", "user@a", "a:0", "a:00080", "a:65536", "a:", ":80",
            "exämple.org", "аpple.com", "[::1", "::1", "[1.2.3.4]", "a,b", "a\\b", "a#b", "a?b", "a/b", "a%2eb",
            // The Kelvin sign and the dotted I, whose lower case is or begins with a letter of ASCII; a letter with its accent.
            "kelvin.\u{212A}.org", "\u{212A}", "\u{130}d.example.org", "cafe\u{301}.org", "a\u{3002}b", "a\u{FF0E}b",
            "app.example.org.", "app.example.org.:443", "app.example.org:", "app.example.org:+80",
            "app.example.org:8 0",
        ])
    func broken(text: String) {
        #expect(AccessHost(text) == nil)
    }

    @Test(
        "a host is lower-cased and its port is kept separately",
        arguments: [
            ("App.Example.ORG", "app.example.org", nil), ("a:8443", "a", 8443), ("192.0.2.1:80", "192.0.2.1", 80),
            ("[2001:DB8::1]:443", "[2001:db8::1]", 443), ("xn--bcher-kva.example", "xn--bcher-kva.example", nil),
        ] as [(String, String, UInt16?)])
    func plain(text: String, name: String, port: UInt16?) {
        let host = AccessHost(text)
        #expect(host?.name == name)
        #expect(host?.port == port)
    }

    @Test(
        "a pattern matches whole labels; without a port it covers every port, except for redirects",
        arguments: [
            ("app.example.org", "app.example.org", true, true),
            ("app.example.org", "app.example.org:8443", true, false),
            ("app.example.org:8443", "app.example.org:8443", true, true),
            ("app.example.org:8443", "app.example.org", false, false),
            ("app.example.org:443", "app.example.org", true, true),
            ("app.example.org:443", "app.example.org:443", true, true),
            ("app.example.org:80", "app.example.org", false, false),
            ("app.example.org", "app.example.org:443", true, true),
            ("app.example.org", "xapp.example.org", false, false),
            ("app.example.org", "app.example.org.evil.example", false, false),
            ("*.example.org", "a.example.org", true, true), ("*.example.org", "a.b.example.org", true, true),
            ("*.example.org", "example.org", false, false), ("*.example.org", "evilexample.org", false, false),
        ])
    func patterns(pattern: String, host: String, isCovered: Bool, isNamed: Bool) throws {
        let pattern = try #require(AccessHostPattern(pattern))
        let host = try #require(AccessHost(host))
        #expect(pattern.covers(host, "https") == isCovered)
        #expect(pattern.names(host, "https") == isNamed)
    }
}
