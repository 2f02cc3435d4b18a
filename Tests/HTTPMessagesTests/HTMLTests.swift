import HTTPMessages
import Testing

@Suite struct HTMLTests {
    private let hostile = #"<script>alert("1")</script>&'"#

    @Test("text is escaped in elements and quoted attributes, and a literal is markup")
    func text() {
        let page: HTML = "<p title=\"\(hostile)\">\(hostile)</p>"

        let escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;"
        #expect(page.markup == "<p title=\"\(escaped)\">\(escaped)</p>")
    }

    @Test("HTML within HTML stays unchanged, several pieces are on separate lines, and nil is empty")
    func pieces() {
        let rows: [HTML] = ["<li>\("a & b")</li>", "", "<li>\(7)</li>"]
        let none: HTML? = nil

        #expect(("<ul>\(rows)</ul>\(none)" as HTML).markup == "<ul><li>a &amp; b</li>\n<li>7</li></ul>")
    }

    @Test("an attribute is written with its value, and omitted without one")
    func attributes() {
        let none: String? = nil
        let input: HTML =
            "<input\(attribute: "value", hostile)\(attribute: "id", none)\(flag: "checked", true)\(flag: "disabled", false)>"

        #expect(
            input.markup == "<input value=\"&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;\" checked>")
    }

    @Test(
        "a link can have a path, a web address or an app's URL",
        arguments: [
            "/latch/account?done=1#top", "account", "?page=2", "#main", "https://a.example/b?c=d&e=\"f", "mailto:a@b.c",
            "com.example.app://callback?code=1", "/a:b", "",
        ])
    func links(_ address: String) {
        #expect(HTML.isLink(address))
        #expect(!("<a href=\"\(link: address)\">" as HTML).markup.contains("about:invalid"))
    }

    @Test(
        "a link never has a script, a local file or a disguised address",
        arguments: [
            "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)",
            "\u{1}javascript:1",
            "data:text/html,<script>", "vbscript:x", "file:///etc/passwd", "blob:x", "view-source:x", "//evil.example",
            "//\u{301}evil.example", "/\\evil.example", "\\\\evil.example", ":x", "1a:x",
        ])
    func refused(_ address: String) {
        #expect(!HTML.isLink(address))
        #expect(("<a href=\"\(link: address)\">" as HTML).markup == "<a href=\"about:invalid\">")
    }
}
