import HTTPMessages
import Testing

@Suite struct HTTPHeadersTests {
    @Test func `names are compared without case and keep their order`() {
        var headers: HTTPHeaders = ["Set-Cookie": "a=1", "X": "y"]
        headers.append("set-cookie", "b=2")
        #expect(headers["SET-COOKIE"] == "a=1")
        #expect(headers.values("Set-Cookie") == ["a=1", "b=2"])
        headers["x"] = nil
        #expect(headers.fields.map(\.name) == ["Set-Cookie", "set-cookie"])
    }

    @Test(arguments: [
        ("A", "b\r\nC: d", false), ("A", "b\nc", false), ("A", "b\u{0}", false), ("A b", "c", false), ("", "c", false),
        ("A:", "c", false), ("X-Ünic", "c", false), ("Accept", "text/html\t*", true), ("A", "", true), ("A", "ä", true),
    ])
    func `a field that would break the message is found`(name: String, value: String, isSafe: Bool) {
        #expect(HTTPHeaders.isSafe(name: name, value: value) == isSafe)
    }
}
