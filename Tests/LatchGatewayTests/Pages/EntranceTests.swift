import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20))) struct EntranceTests {
    @Test(
        "the server's address, and the prefix of the pages alone, lead to the account",
        arguments: ["/latch", "/id", ""])
    func entrances(_ prefix: String) async throws {
        try await Bench.withPages({ $0.pages.prefix = prefix }) { bench in
            for path in Set(["/", prefix, prefix + "/"]) where !path.isEmpty {
                let answer = try await PageBrowser(bench).get(path)
                #expect(answer.status == 303 && answer.headers["Location"] == prefix + "/account", "\(path)")
            }
        }
    }

    @Test("without pages there is no root path")
    func noPages() async throws {
        try await Bench.with { bench in
            let answer = try await PageBrowser(bench).get("/")
            #expect(answer.status == 404)
        }
    }

    @Test("an error page has the server's name, a card and a link to continue")
    func errorPages() async throws {
        try await BridgeBench.with(
            ["google"],
            {
                $0.pages.isEnabled = true; $0.pages.title = "Photos <at> home"
            }
        ) { bench in
            let browser = bench.browser()
            let page = [("Accept", "text/html")]
            let begun = try await browser.send(
                "GET",
                "/api/auth/oauth/google/authorize?redirect=true&next=%2Flatch%2Fsign-in%2Fdone%3Freturn%3D%252Fphotos",
                headers: page)
            let request = try bench.google.request(begun.headers["Location"]).orThrow
            let query = FormURLEncoded.encode(try bench.google.deny(request))
            let denied = try await browser.send("GET", "\(BridgeBench.callback)?\(query)", headers: page)
            let stranger = try await browser.send("GET", "\(BridgeBench.callback)?state=x&code=y", headers: page)
            let missing = try await PageBrowser(bench.bench).get("/latch/nowhere")

            for (answer, link, words) in [
                (denied, "/latch/sign-in?return=%2Fphotos", "Try again"), (stranger, "/latch/sign-in", "Try again"),
                (missing, "/latch/account", "Go to your account"),
            ] {
                #expect(answer.text.contains("<p>Photos &lt;at&gt; home</p>"), "\(link)")
                #expect(answer.text.contains("<div class=\"card\">\n<h1>"), "\(link)")
                #expect(answer.text.contains("href=\"\(link)\">") && answer.text.contains(words), "\(link)")
            }
            #expect(denied.text.contains("You declined at the identity provider"))
        }
    }

    @Test("without pages a browser's own sign-in starts again at the provider")
    func againAtProvider() async throws {
        try await BridgeBench.with { bench in
            let browser = bench.browser()
            let page = [("Accept", "text/html")]
            let begun = try await browser.send(
                "GET", "/api/auth/oauth/google/authorize?redirect=true&next=%2Fphotos", headers: page)
            let request = try bench.google.request(begun.headers["Location"]).orThrow
            let query = FormURLEncoded.encode(try bench.google.deny(request))
            let denied = try await browser.send("GET", "\(BridgeBench.callback)?\(query)", headers: page)
            #expect(
                denied.text.contains(
                    "href=\"/api/auth/oauth/google/authorize?redirect=true&amp;next=%2Fphotos\">Try again</a>"))
        }
    }
}
