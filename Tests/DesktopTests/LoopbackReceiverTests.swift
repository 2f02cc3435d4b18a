import Crypto
import Foundation
import TestSupport
import Testing

@testable import Desktop

/// The one request by which a browser comes back to a port of this machine.
@Suite(.blocking, .timeLimit(.minutes(20))) struct LoopbackReceiverTests {
    private func receiver() throws -> (LoopbackReceiver, port: Int) {
        let receiver = try LoopbackReceiver(path: "/callback", server: "a.example") { $0 == $1 + "?ok" }
        return (receiver, Int(receiver.redirect.split(separator: ":").last?.prefix { $0 != "/" } ?? "") ?? 0)
    }

    private func ask(_ port: Int, _ text: String) throws -> String {
        let socket = try RawSocket(port: port)
        try socket.write(text.replacing("PORT", with: "\(port)"))
        return try socket.readToEnd()
    }

    @Test(
        "OX-9 RFC 8252 §7.3 one valid request is accepted after any others; silent connections do not block it"
    )
    func acceptsOneRequest() async throws {
        let (receiver, port) = try receiver()
        let silent = try (0..<4).map { _ in try RawSocket(port: port) }

        let refusals = [
            "GET /callback?other HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
            "POST /callback?ok HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
            "GET /callback?ok HTTP/1.1\r\nHost: evil.example:PORT\r\n\r\n",
            "GET /callback?ok HTTP/1.1\r\n\r\n",
            "GET /callback?ok HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: 127.0.0.1:PORT\r\n\r\n",
            "GET http://127.0.0.1:PORT/callback?ok HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
            "\u{16}\u{3}\u{1}\r\n\r\n",
        ]
        for refusal in refusals { #expect(try ask(port, refusal).hasPrefix("HTTP/1.1 400 "), "\(refusal)") }
        #expect(try ask(port, "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
        let good = "GET /callback?ok HTTP/1.1\r\nhost: 127.0.0.1:PORT\r\nAccept: */*\r\n\r\n"
        #expect(try ask(port, good).hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(try ask(port, good).hasPrefix("HTTP/1.1 400 "))

        var got: [String] = []
        for await link in receiver.links { got.append(link) }
        #expect(got == ["http://127.0.0.1:\(port)/callback?ok"])
        receiver.close()
        withExtendedLifetime(silent) {}
    }

    @Test(
        "OX-9 the last page shows the result",
        arguments: [
            ("code=1&state=2", "You signed in at photos.example.org&lt;:8443"),
            ("error=access_denied&state=2", "was denied"),
            ("state=2&error=server_error&error_description=x", "reported an error"),
        ])
    func page(_ query: String, _ words: String) throws {
        let receiver = try LoopbackReceiver(path: "/callback", server: "photos.example.org<:8443") { _, _ in true }
        let port = try #require(Int(receiver.redirect.dropFirst("http://127.0.0.1:".count).prefix { $0 != "/" }))
        let page = try ask(port, "GET /callback?\(query) HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n")
        #expect(page.contains(words), "\(page)")
        let all = ["You signed in", "was denied", "reported an error"]
        for other in all where !words.hasPrefix(other) {
            #expect(!page.contains(other))
        }
        receiver.close()
    }

    @Test("the policy of the last page allows its style sheet and nothing else")
    func style() throws {
        let hash = Data(SHA256.digest(LoopbackPage.style).bytes).base64EncodedString()
        #expect(LoopbackPage.styleHash == "sha256-" + hash)
        let page = String(decoding: LoopbackPage.done("a.example"), as: UTF8.self)
        #expect(page.contains("<style>\(LoopbackPage.style)</style>") && page.contains("style-src 'sha256-\(hash)';"))
        #expect(!page.contains("unsafe") && !page.contains("<script"))
    }

    @Test(
        "a name on the last page is no markup, also beside a mark that joins its brackets",
        arguments: [""] + JoiningMarks.all)
    func joinedMarkup(_ mark: String) {
        let page = LoopbackPage.done("\(mark)<\(mark)b\(mark)>\(mark)&\(mark)")
        let text = "\(mark)&lt;\(mark)b\(mark)&gt;\(mark)&amp;\(mark)"
        #expect(page.firstRange(of: Array(text.utf8)) != nil)
    }

    @Test("The receiver listens only on 127.0.0.1, on a port that the system chooses, until it is closed")
    func address() throws {
        let (first, port) = try receiver()
        let (second, other) = try receiver()
        #expect(port > 0 && other > 0 && port != other)
        #expect(first.redirect == "http://127.0.0.1:\(port)/callback")
        #expect(throws: (any Error).self) { try RawSocket(host: "127.0.0.2", port: port) }
        first.close()
        while (try? RawSocket(port: port)) != nil {}
        second.close()
    }
}
